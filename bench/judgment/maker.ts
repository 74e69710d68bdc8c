// Makes single steps in the language of one project and one split, with keys that no two steps of a session share.
import type { Pack } from './packs.ts';
import type { Random } from './random.ts';
import type { CallRole, CallStep, Split, Step } from './steps.ts';
import { wordsOf, type Words } from './words.ts';

export type Maker = ReturnType<typeof openMaker>;

/** `prefix` sets its keys apart from those of other makers of the session. */
export const openMaker = (prefix: string, pack: Pack, split: Split, random: Random) => {
  let made = 0;
  const words = wordsOf(split);
  const templates = new Set<string>([`pack:${pack.id}`]);
  const key = (): string => `${prefix}${(made += 1)}`;
  const path = (file: string): string => (file.startsWith('/') ? file : `${pack.root}/${file}`);

  /** Names, files and numbers for the places of a template. */
  const fill = (template: string, file = random.pick(pack.sources)): string => {
    const [n = '', m = ''] = random.some(pack.names, 2);
    return template.replaceAll('{n}', n).replaceAll('{m}', m).replaceAll('{f}', file).replaceAll('{k}', String(random.int(2, 60)));
  };
  const phrase = (list: keyof Words, file?: string): string => {
    const template = random.pick(words[list]);
    templates.add(template);
    return fill(template, file);
  };

  const call = (tool: string, input: Readonly<Record<string, unknown>>, output: string, more: { role?: CallRole; file?: string; failed?: boolean; took?: number; wait?: number; group?: string } = {}): CallStep => ({
    kind: 'call', key: key(), wait: more.wait ?? random.int(6, 45), tool, input, output, failed: more.failed ?? false, took: more.took ?? 1, role: more.role ?? 'other',
    ...(more.file === undefined ? {} : { file: path(more.file) }), ...(more.group === undefined ? {} : { group: more.group }),
  });
  const bash = (command: string, output: string, more: Parameters<typeof call>[3] & { description?: string } = {}): CallStep =>
    call('Bash', { command, ...(more.description === undefined ? {} : { description: more.description }) }, output, { took: random.int(1, 9), ...more });
  const lines = (count: number): string => Array.from({ length: count }, () => fill(random.pick(pack.lines))).join('\n');

  return {
    pack, random, templates, phrase, fill, key, path, call, bash, lines,
    prompt: (text: string, wait = random.int(30, 420)): Step => ({ kind: 'prompt', key: key(), wait, text }),
    queued: (text: string): Step => ({ kind: 'queued', key: key(), wait: random.int(1, 9), text }),
    say: (text: string): Step => ({ kind: 'say', key: key(), wait: random.int(3, 25), text }),
    claim: (text: string): Step => ({ kind: 'say', key: key(), wait: random.int(4, 20), text, claim: true }),
    end: (): Step => ({ kind: 'end', key: key(), wait: 1 }),
    read: (file: string, group?: string): CallStep => call('Read', { file_path: path(file) }, lines(8), { role: 'look', file, ...(group === undefined ? {} : { group }) }),
    grep: (): CallStep => call('Grep', { pattern: random.pick(pack.names), output_mode: 'files_with_matches' }, random.some(pack.sources, 3).map(path).join('\n'), { role: 'look' }),
    glob: (): CallStep => call('Glob', { pattern: `**/*${pack.sources[0]?.slice(pack.sources[0].lastIndexOf('.')) ?? ''}` }, pack.sources.map(path).join('\n'), { role: 'look' }),
    looking: (): CallStep => bash(random.pick(['git status --short', 'git diff --stat', 'git log --oneline -n 5', 'ls -la', `wc -l ${random.pick(pack.sources)}`, `git diff ${random.pick(pack.sources)}`, `sed -n 1,40p ${random.pick(pack.sources)}`]), lines(3), { role: 'look' }),
    edit: (file: string, role: CallRole = 'edit'): CallStep => {
      const line = role === 'test-edit' ? pack.test_lines : pack.lines;
      return call('Edit', { file_path: path(file), old_string: fill(random.pick(pack.lines)), new_string: [fill(random.pick(line)), ...(random.chance(0.6) ? [fill(random.pick(line))] : [])].join('\n') }, `The file ${path(file)} has been updated successfully.`, { role, file, wait: random.int(12, 80) });
    },
    write: (file: string): CallStep => call('Write', { file_path: path(file), content: `${lines(12)}\n` }, `File created successfully at: ${path(file)}`, { role: 'edit', file, wait: random.int(20, 120) }),
    docs: (file: string): CallStep => call('Edit', { file_path: path(file), old_string: '## Use', new_string: `## Use\n\n${fill('`{n}` takes a number up to {k}; see also `{m}`.')}` }, `The file ${path(file)} has been updated successfully.`, { role: 'docs', file }),
    settings: (file: string): CallStep => call('Edit', { file_path: path(file), old_string: fill('limit: {k}'), new_string: fill('limit: {k}') }, `The file ${path(file)} has been updated successfully.`, { role: 'docs', file }),
    test: (command = pack.suite, description = true): CallStep => bash(command, pack.green, { role: 'test', took: random.int(10, 150), ...(description ? { description: 'Run the tests' } : {}) }),
    redTest: (command = pack.suite, at = random.int(0, 2)): CallStep => bash(command, fill(pack.red[at % pack.red.length] ?? ''), { role: 'test', failed: true, took: random.int(10, 150) }),
    build: (): CallStep => bash(pack.build, 'ok', { role: 'build', took: random.int(5, 40) }),
    redBuild: (): CallStep => bash(pack.build, pack.broken, { role: 'build', failed: true, took: random.int(5, 40) }),
    lint: (): CallStep => bash(pack.lint, '', { role: 'other', took: random.int(3, 12) }),
  };
};
