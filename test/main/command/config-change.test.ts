import { describe, expect, test } from 'vitest';
import { resetChange, setChange, type Change } from '../../../src/main/command/config-change.ts';
import { defaultKnobs, KNOBS } from '../../../src/main/floor/knobs.ts';
import { knobRows } from '../../../src/main/floor/config.ts';

const sound = (): readonly string[] => [];
const applied = (change: Change, document: Record<string, unknown> = {}): unknown => {
  if (!change.ok) throw new Error(change.why);
  return change.apply(document);
};
const refused = (change: Change): string => (change.ok ? 'accepted' : change.why);

describe('set', () => {
  test('a value lands in its group and the rest of the document stays', () => {
    expect(applied(setChange('gate.rate_per_hour', '2', false, sound), { $schema: 's', gate: { cooldown_s: 9 }, mute: { all: true } })).toEqual({ $schema: 's', gate: { cooldown_s: 9, rate_per_hour: 2 }, mute: { all: true } });
  });

  test.each([
    ['gate.rate_per_hour', 'banana', 'not "banana"'],
    ['gate.rate_per_hour', '-1', 'a whole number from 0 to 1000'],
    ['gate.rate_per_hour', '1.5', 'a whole number'],
    ['mute.all', 'yes', 'true or false'],
    ['model.provider', 'somebody', 'one of auto, anthropic'],
    ['loop.salience_triggers', 'error,nonsense', 'a list of error, user_prompt'],
    ['enable.workspaces', 'x', 'an object'],
    ['enable.workspaces', '{"/a":"no"}', 'an object of true and false'],
    ['catalogue.file', 'mine.json', 'an absolute path'],
    ['mcp.servers', '{"x":5,"y":{"url":"ftp://a"}}', 'mcp.servers.x: expected {command, args, env} or {url}; mcp.servers.y: url must be an https address.'],
    ['gate', '1', 'There is no knob'],
    ['rate_per_hour', '1', 'Did you mean gate.rate_per_hour?'],
    ['__proto__.x', '1', 'There is no knob'],
  ])('%s %s is refused with what would be right', (name, word, why) => expect(refused(setChange(name, word, false, sound))).toContain(why));

  test('every knob takes its own default as a word', () => {
    const knobs = defaultKnobs() as unknown as Record<string, Record<string, unknown>>;
    for (const [name, { group, name: knob }] of knobRows()) {
      if (name === 'detectors') continue;
      const value = knobs[group]?.[knob];
      const word = Array.isArray(value) ? value.join(',') : typeof value === 'object' ? JSON.stringify(value) : String(value);
      expect(applied(setChange(name, word, false, sound)), name).toEqual({ [group]: { [knob]: value } });
    }
  });

  test('the four knobs that make it loud or dear say so', () => {
    const warned = [...knobRows()].filter(([, { knob }]) => knob.warn !== undefined).map(([name]) => name);
    expect(warned.sort()).toEqual(['delivery.wake', 'finish_gate.min_interval_s', 'gate.rate_per_hour', 'loop.min_interval_s']);
    expect(setChange('gate.rate_per_hour', '9', false, sound)).toMatchObject({ warn: KNOBS.gate.rate_per_hour.warn });
  });

  test('run_tool.enabled is a workspace’s own decision', () => expect(refused(setChange('run_tool.enabled', 'true', true, sound))).toContain('leave out --global'));

  test('a detector’s field and one key of its config are set without losing its others', () => {
    const document = applied(setChange('detectors.default.enabled', 'false', false, sound), { detectors: { default: { cadence: 'every_nth:2' } } });
    expect(document).toEqual({ detectors: { default: { cadence: 'every_nth:2', enabled: false } } });
    expect(applied(setChange('detectors.q.config.questions', '{"deployed":null}', false, sound), { detectors: { q: { config: { a: 1 } } } })).toEqual({ detectors: { q: { config: { a: 1, questions: { deployed: null } } } } });
  });

  test('what the catalogue objects to is not written', () => {
    expect(refused(setChange('detectors.default.enabled', 'maybe', false, () => ['detectors.default.enabled: expected boolean']))).toBe('detectors.default.enabled: expected boolean.');
    expect(refused(setChange('detectors.default', '{}', false, sound))).toContain('Name a field');
    expect(refused(setChange('detectors', '[]', false, sound))).toContain('an object of objects');
  });
});

describe('reset', () => {
  const document = { $schema: 's', gate: { rate_per_hour: 2, cooldown_s: 1 }, detectors: { default: { enabled: false } }, mute: { all: true } };
  test('a knob, a group, a detector or all go, and empty groups with them', () => {
    expect(applied(resetChange('gate.rate_per_hour'), document)).toEqual({ ...document, gate: { cooldown_s: 1 } });
    expect(applied(resetChange('gate'), document)).not.toHaveProperty('gate');
    expect(applied(resetChange('detectors.default.enabled'), document)).not.toHaveProperty('detectors');
    expect(applied(resetChange('all'), document)).toEqual({ $schema: 's' });
  });
  test('what is not set is reset all the same', () => expect(applied(resetChange('window.budget_chars'), document)).toEqual(document));
  test('a name that does not exist is refused', () => expect(refused(resetChange('nonsense'))).toContain('There is no knob'));
});
