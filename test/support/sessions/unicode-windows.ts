// Chinese, Japanese and Korean text, emoji and Windows paths in prompts, arguments, file names, results and errors.
import type { Recording } from './recording.ts';

const WINDOWS_FILE = 'C:\\Users\\開発者\\src\\アプリ\\設定.json';

export const unicodeWindows: Recording = {
  name: 'unicode-windows',
  minutes: 16,
  files: {
    'src/翻訳.mjs': "// 挨拶を返す。\nexport const 挨拶 = (名前) => `こんにちは、${名前}さん！👋`;\nexport const 家族 = '👨‍👩‍👧‍👦';\n",
    'src/路径.mjs': "// 把 Windows 路径变成 URL。\nexport const toUrl = (path) => 'file:///' + path.replaceAll('\\\\', '/');\n",
    'tools/convert.mjs': "import { readFileSync } from 'node:fs';\nconst path = process.argv[2] ?? '';\nconsole.log('変換中… ' + path);\nconsole.log(readFileSync(path, 'utf8'));\n",
    'test/path.test.mjs': "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { toUrl } from '../src/路径.mjs';\ntest('경로 변환 🛣️', () => assert.equal(toUrl('C:\\\\a b\\\\ü.txt'), 'file:///C:/a%20b/%C3%BC.txt'));\n",
    'package.json': '{ "name": "i18n-tool", "type": "module", "scripts": { "test": "node --test" } }\n',
  },
  script: (project) => ({
    turns: [
      { content: [{ thinking: '用户的路径里有空格和非 ASCII 字符。先看代码。' }, '先看一下路径转换的代码。📂', { tool: 'Read', input: { file_path: `${project}/src/路径.mjs` } }, { tool: 'Read', input: { file_path: `${project}/src/翻訳.mjs` } }], delay_ms: 400 },
      { content: ['用报告里的 Windows 路径重现错误。', { tool: 'Bash', input: { command: `node tools/convert.mjs '${WINDOWS_FILE}'`, description: '用 Windows 路径重现 🐛' } }], delay_ms: 400 },
      { content: ['果然失败。测试怎么说？', { tool: 'Bash', input: { command: 'npm test', description: '테스트 실행' } }], delay_ms: 400 },
      {
        content: [
          '空格和变音字母没有编码。逐段编码，盘符除外。',
          {
            tool: 'Edit',
            input: {
              file_path: `${project}/src/路径.mjs`,
              old_string: "export const toUrl = (path) => 'file:///' + path.replaceAll('\\\\', '/');",
              new_string: "// 盘符 (C:) 不编码。\nconst 编码 = (segment, index) => (index === 0 && /^[A-Z]:$/i.test(segment) ? segment : encodeURIComponent(segment));\nexport const toUrl = (path) => 'file:///' + path.split('\\\\').map(编码).join('/');",
            },
          },
        ],
        delay_ms: 500,
      },
      { content: [{ tool: 'Bash', input: { command: 'npm test', description: '再跑一次测试 ✅' } }], delay_ms: 300 },
      { content: ['テストは通りました。存在しない共有フォルダーも試します。', { tool: 'Bash', input: { command: "node tools/convert.mjs '\\\\fileserver\\共有\\2026年度\\見積書 🧾.xlsx'", description: 'UNC パスで試す' } }], delay_ms: 400 },
      {
        content: [
          'これは想定どおりのエラーです。記録しておきます。',
          { tool: 'Write', input: { file_path: `${project}/docs/경로.md`, content: '# 경로 규칙 🧭\n\n| 입력 | 출력 |\n| --- | --- |\n| `C:\\Users\\홍길동\\문서\\보고서.txt` | `file:///C:/Users/%ED%99%8D%EA%B8%B8%EB%8F%99/…` |\n| `\\\\fileserver\\共有` | 지원하지 않음 🚫 |\n\n𝕌𝕟𝕚𝕔𝕠𝕕𝕖 밖 평면 글자와 결합 문자(é = e + ´)도 확인했다.\n' } },
        ],
        delay_ms: 400,
      },
      { content: [{ tool: 'Bash', input: { command: 'cat docs/경로.md && git -c core.quotepath=false status --short', description: '변경 사항 확인' } }], delay_ms: 300 },
      { content: ['完成 🎉 `toUrl` 现在逐段编码，`C:` 盘符保持不变；测试通过，규칙은 `docs/경로.md`에 적었습니다。'], delay_ms: 400 },
    ],
  }),
  drive: async (host) => {
    await host.prompt(`${WINDOWS_FILE} を開くと壊れます 😢 路径转换请修好。`);
    await host.waitFor(/完成/, 60_000);
    await host.idle();
  },
};
