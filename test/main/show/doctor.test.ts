import { describe, expect, test } from 'vitest';
import { checksOf, doctorText, type Check, type DoctorFacts } from '../../../src/main/show/doctor.ts';

const facts = (over: Partial<DoctorFacts> = {}): DoctorFacts => ({
  now: 1_000_000, program: 'second-brain', node: 'v22.1.0', host_version: '2.1.332', installed: '0.1.0-a',
  data: { path: '/d', exists: true, writable: true, open: 0, free_bytes: 5e9 },
  hooks: { last_at: 990_000, no_node: false },
  monitors: [{ host: '7', pid: 70 }],
  leased: ['s'],
  session: { id: 's', watched: true, running_version: '0.1.0-a' },
  provider: { kind: 'anthropic', model: 'claude-haiku-5-5', key_from: 'ANTHROPIC_API_KEY', problems: [] },
  config_problems: [],
  catalogue: { source: 'bundle', count: 9, problems: [] },
  workspace: { path: '/w', enrolled: true, refused: false, muted: false },
  layers: { 'catalogue.file': 'default', detectors: 'default', 'mute.all': 'default' },
  set_aside: 0, from_the_future: 0, ...over,
});

const check = (name: string, over: Partial<DoctorFacts>): Check | undefined => checksOf(facts(over)).find((each) => each.name === name);
const data = facts().data;

describe('doctor', () => {
  test('a sound set-up has nothing wrong and asks for nothing', () => {
    const checks = checksOf(facts());
    expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(doctorText(checks, 80)).toContain('Nothing is wrong.');
  });

  test.each<[string, Partial<DoctorFacts>, Check['state'], string]>([
    ['Second Brain', {}, 'ok', '0.1.0-a'],
    ['Node', { node: 'v18.20.0' }, 'bad', 'too old'],
    ['Node', { node: 'v20.19.0' }, 'ok', 'v20.19.0'],
    ['Claude Code', { host_version: undefined }, 'note', 'unknown'],
    ['Claude Code', { host_version: '2.1.149' }, 'bad', 'older than 2.1.150'],
    ['Claude Code', { host_version: '2.1.150' }, 'ok', '2.1.150'],
    ['Claude Code', { host_version: '2.2.0' }, 'note', 'newer than 2.1.332'],
    ['data', { data: { ...data, exists: false } }, 'bad', 'not there'],
    ['data', { data: { ...data, writable: false } }, 'bad', 'cannot be read and written'],
    ['data', { data: { ...data, open: 3, path: "/o'd" } }, 'bad', '3 files'],
    ['disk', { data: { ...data, free_bytes: 50_000_000 } }, 'note', '50 MB'],
    ['disk', { data: { ...data, free_bytes: 1_000_000 } }, 'bad', '1 MB'],
    ['disk', { data: { ...data, free_bytes: undefined } }, 'note', 'unknown'],
    ['clock', { from_the_future: 2 }, 'bad', 'from the future'],
    ['config', { config_problems: ['gate.x: no'] }, 'bad', 'gate.x'],
    ['detectors', { catalogue: { source: 'bundle', count: 9, problems: ['catalogue.file /x: no such file; the bundled catalogue is used'] } }, 'bad', 'no such file'],
    ['workspace', { workspace: { path: '/w', enrolled: false, refused: false, muted: false } }, 'note', 'not watched'],
    ['workspace', { workspace: { path: '/w', enrolled: true, refused: false, muted: true } }, 'note', 'muted'],
    ['hooks', { hooks: { last_at: undefined, no_node: false } }, 'bad', 'no hook'],
    ['hooks', { hooks: { last_at: undefined, no_node: true } }, 'bad', 'no usable Node'],
    ['hooks', { now: 1e10, hooks: { last_at: 1, no_node: false } }, 'note', 'days ago'],
    ['monitor', { monitors: [], leased: [], session: { id: 's', watched: false, running_version: undefined } }, 'note', 'none runs'],
    ['monitor', { session: { id: 'other', watched: false, running_version: undefined } }, 'note', 'not this session other; it watches s'],
    ['monitor', { installed: '0.2.0-b' }, 'note', '0.2.0-b is installed'],
    ['judge', { provider: { kind: 'local', model: 'rules', key_from: 'none', problems: [] } }, 'note', 'no model'],
    ['judge', { provider: { kind: 'local', model: 'rules', key_from: 'none', problems: ['no key'] } }, 'bad', 'no key'],
    ['judge', { provider: { kind: 'anthropic', model: 'm', key_from: 'K', problems: ['K2 refused'] } }, 'note', 'K2 refused'],
    ['set aside', { set_aside: 1 }, 'note', '1 damaged'],
  ])('%s with %j is %s', (name, over, state, words) => {
    const found = check(name, over);
    expect(found?.state).toBe(state);
    expect(found?.says).toContain(words);
  });

  test('what is wrong names the one command that mends it, quoted for a shell', () => {
    for (const { name, state, fix } of checksOf(facts({ node: 'v1', host_version: '1.0.0', data: { ...data, open: 1, path: "/o'd" }, from_the_future: 1, config_problems: ['x'], hooks: { last_at: undefined, no_node: false } }))) if (state === 'bad') expect(fix, name).toBeTruthy();
    expect(check('data', { data: { ...data, open: 1, path: "/o'd" } })?.fix).toBe("chmod -R go-rwx '/o'\\''d'");
  });

  test('what mends it reaches the layer that decides', () => {
    const by = (layer: 'global' | 'workspace' | 'env'): DoctorFacts['layers'] => ({ 'catalogue.file': layer, detectors: layer, 'mute.all': layer });
    const fault = { source: 'bundle', count: 9, problems: ['catalogue.file /x: no such file'] };
    const muted = { path: '/w', enrolled: true, refused: false, muted: true };
    expect(check('detectors', { catalogue: fault, layers: by('workspace') })?.fix).toBe('mend the file, or second-brain config reset catalogue.file');
    expect(check('detectors', { catalogue: fault, layers: by('global') })?.fix).toMatch(/catalogue\.file --global$/);
    expect(check('detectors', { catalogue: { ...fault, problems: ['detectors.x: no'] }, layers: by('global') })?.fix).toBe('second-brain config reset detectors --global');
    expect(check('workspace', { workspace: muted, layers: by('workspace') })?.fix).toBe('second-brain config set mute.all false');
    expect(check('workspace', { workspace: muted, layers: by('global') })?.fix).toBe('second-brain config set mute.all false --global');
    expect(check('workspace', { workspace: muted, layers: by('env') })?.fix).toBe('unset SECOND_BRAIN_MUTE_ALL');
    expect(check('workspace', { workspace: { ...muted, enrolled: false, refused: true } })?.fix).toContain('enable.workspaces');
  });

  test('it fits 60 columns and shows no control character', () => {
    const text = doctorText(checksOf(facts({ config_problems: [`${'long '.repeat(40)}\u001b[31m\u202e`] })), 60);
    for (const each of text.split('\n')) expect(each.length).toBeLessThanOrEqual(60);
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });
});
