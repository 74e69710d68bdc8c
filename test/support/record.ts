// Records sessions of the real host with the scripted model into test/fixtures/sessions/<name>.jsonl. Run by hand, from the root:
//   npx esbuild test/support/record.ts --bundle --platform=node --format=esm --packages=external --outfile=.cache/record.mjs
//   node .cache/record.mjs [NAME…]        (all when none is named)
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHost } from './host.ts';
import { startWorld } from './host-world.ts';
import { cleanSession } from './sessions/clean.ts';
import { longMixed } from './sessions/long-mixed.ts';
import { noTests } from './sessions/no-tests.ts';
import type { Recording } from './sessions/recording.ts';
import { repeatFailure } from './sessions/repeat-failure.ts';
import { unicodeWindows } from './sessions/unicode-windows.ts';
import { makeUniform } from './uniform.ts';

const ALL: readonly Recording[] = [noTests, repeatFailure, cleanSession, unicodeWindows, longMixed];
const OUT = 'test/fixtures/sessions';

const record = async (recording: Recording): Promise<void> => {
  const { name, files, script, drive, minutes, ...options } = recording;
  const world = await startWorld({ files });
  try {
    await world.setScript(script(world.project));
    const git = ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.com', '-c', 'init.defaultBranch=main'];
    await world.run(['sh', '-c', 'git "$@" init -q && git add -A && git "$@" commit -qm "Start"', 'sh', ...git]);
    await world.push(...(script(world.project).turns ?? []));
    const host = await startHost({ world, ...options });
    await drive(host);
    await host.exit();
    const path = host.transcript();
    if (path === undefined) throw new Error(`${name}: no transcript`);
    const { lines, factor } = makeUniform(readFileSync(path, 'utf8'), { home: world.home, minutes });
    writeFileSync(join(OUT, `${name}.jsonl`), `${lines.join('\n')}\n`);
    console.log(`${name}: ${lines.length} records, ${Math.round(lines.join('\n').length / 1024)} KB, times stretched ${factor.toFixed(1)} times`);
  } finally {
    await world.stop();
  }
};

const wanted = process.argv.slice(2);
for (const recording of ALL) if (wanted.length === 0 || wanted.includes(recording.name)) await record(recording);
