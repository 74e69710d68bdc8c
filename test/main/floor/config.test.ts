import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkValue, effective, envLayer, knobRows, layerOf, parseWord } from '../../../src/main/floor/config.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';

describe('layers', () => {
  test('a higher layer wins and each value is traced to its layer', () => {
    const { knobs, sources } = effective([
      layerOf('global', { gate: { rate_per_hour: 2, cooldown_s: 60 } }, 'config.json'),
      layerOf('workspace', { gate: { rate_per_hour: 1 } }, 'workspace'),
      envLayer({ SECOND_BRAIN_GATE_COOLDOWN_S: '30' }),
    ]);
    expect(knobs.gate.rate_per_hour).toBe(1);
    expect(knobs.gate.cooldown_s).toBe(30);
    expect(sources.get('gate.rate_per_hour')).toBe('workspace');
    expect(sources.get('gate.cooldown_s')).toBe('env');
    expect(sources.get('gate.body_cap')).toBe('default');
  });

  test('mute in any layer mutes, whatever a higher layer says', () => {
    expect(effective([layerOf('global', { mute: { all: true } }, 'g'), layerOf('workspace', { mute: { all: false } }, 'w')]).knobs.mute.all).toBe(true);
  });

  test('a detector’s fields merge across layers', () => {
    const { knobs } = effective([
      layerOf('global', { detectors: { default: { enabled: false, deadline_s: 9 } } }, 'g'),
      layerOf('workspace', { detectors: { default: { enabled: true } } }, 'w'),
    ]);
    expect(knobs.detectors['default']).toEqual({ enabled: true, deadline_s: 9 });
  });

  test('a bad value is left out and named with what it takes', () => {
    const { knobs, problems } = effective([layerOf('global', { gate: { rate_per_hour: 'many', nothing: 1 }, model: 3 }, 'config.json')]);
    expect(knobs.gate.rate_per_hour).toBe(4);
    expect(problems).toEqual([
      'config.json: gate.rate_per_hour takes a whole number from 0 to 1000 per hour, not "many"',
      'config.json: there is no knob gate.nothing',
      'config.json: model is not a group of knobs',
    ]);
  });

  test('run_tool.enabled counts in the workspace layer alone', () => {
    expect(effective([layerOf('global', { run_tool: { enabled: true } }, 'g')]).knobs.run_tool.enabled).toBe(false);
    expect(effective([layerOf('workspace', { run_tool: { enabled: true } }, 'w')]).knobs.run_tool.enabled).toBe(true);
    expect(effective([envLayer({ SECOND_BRAIN_RUN_TOOL_ENABLED: 'true' })]).knobs.run_tool.enabled).toBe(false);
  });

  test('it lowers a budget and switches watching off, never the reverse', () => {
    const user = layerOf('global', { enable: { default: false }, budget: { tokens_per_hour: 1000, machine_tokens_per_hour: 5000 } }, 'g');
    const loose = effective([user, envLayer({ SECOND_BRAIN_ENABLE_DEFAULT: 'true', SECOND_BRAIN_BUDGET_TOKENS_PER_HOUR: '1001', SECOND_BRAIN_BUDGET_MACHINE_TOKENS_PER_HOUR: '0', SECOND_BRAIN_BUDGET_TOKENS_PER_TASK: '10000000000', SECOND_BRAIN_MODEL_TRUST_ENV: 'true' })]);
    expect(loose.knobs).toEqual(effective([user]).knobs);
    expect(loose.problems).toHaveLength(4);
    expect(loose.sources.get('budget.tokens_per_hour')).toBe('global');
    const tight = effective([layerOf('global', { enable: { default: true } }, 'g'), envLayer({ SECOND_BRAIN_ENABLE_DEFAULT: 'false', SECOND_BRAIN_BUDGET_TOKENS_PER_HOUR: '999', SECOND_BRAIN_BUDGET_MACHINE_TOKENS_PER_HOUR: '7' })]);
    expect(tight.knobs).toMatchObject({ enable: { default: false }, budget: { tokens_per_hour: 999, machine_tokens_per_hour: 7 } });
    expect(tight.problems).toEqual([]);
  });

  test('redaction is not the environment’s to turn off', () => {
    expect(effective([envLayer({ SECOND_BRAIN_PROJECTION_REDACT: 'false' })]).knobs.projection.redact).toBe(true);
    expect(effective([layerOf('workspace', { projection: { redact: false } }, 'w')]).knobs.projection.redact).toBe(false);
  });

  test('a floor above its threshold is a problem', () => {
    expect(effective([layerOf('global', { window: { compaction_floor: 0.9 } }, 'g')]).problems[0]).toContain('compaction_floor');
    const kept = (cache_ttl: string, max_interval_s: number) => effective([layerOf('global', { model: { cache_ttl }, loop: { max_interval_s } }, 'g')]).problems;
    expect([kept('auto', 86_400), kept('5m', 300), kept('1h', 3600)]).toEqual([[], [], []]);
    expect([kept('5m', 301)[0], kept('1h', 3601)[0]]).toEqual([expect.stringContaining('cache_ttl 5m'), expect.stringContaining('cache_ttl 1h')]);
  });
});

describe('environment', () => {
  test('it sets numbers and switches, never texts, choices or maps', () => {
    const layer = envLayer({
      SECOND_BRAIN_LOOP_MIN_INTERVAL_S: '10',
      SECOND_BRAIN_DEBUG_ENABLED: 'true',
      SECOND_BRAIN_MODEL_BASE_URL: 'http://elsewhere',
      SECOND_BRAIN_MODEL_PROVIDER: 'openai',
      SECOND_BRAIN_MODEL_KEY_COMMAND: 'steal',
      SECOND_BRAIN_CATALOGUE_FILE: '/tmp/x.json',
      SECOND_BRAIN_MCP_SERVERS: '{}',
      SECOND_BRAIN_DEBUG_PATH: '/tmp',
    });
    expect([...layer.values.keys()].sort()).toEqual(['debug.enabled', 'loop.min_interval_s']);
    expect(layer.problems).toHaveLength(6);
  });

  test('an odd number in it changes nothing', () => {
    for (const odd of ['', 'NaN', '1e999', '-5', '9.5', '0x', 'Infinity']) expect(envLayer({ SECOND_BRAIN_LOOP_MIN_INTERVAL_S: odd }).values.size).toBe(0);
  });
});

test('every default passes its own check', () => {
  const defaults = defaultKnobs() as unknown as Record<string, Record<string, unknown>>;
  for (const [full, { group, name }] of knobRows()) {
    const value = name === '' ? defaults[group] : defaults[group]?.[name];
    expect(checkValue(full, value), full).toMatchObject({ ok: true });
  }
});

test('every knob is looked at by some code', () => {
  const code = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && !name.endsWith('knobs.ts')).map((name) => readFileSync(join('src', name), 'utf8')).join('\n').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
  for (const [full, { group, name }] of knobRows()) expect(new RegExp(`\\b${name === '' ? group : name}\\b`).test(code), full).toBe(true);
});

test('of switches by workspace the wrong one is named and the others hold', () => {
  const { values, problems } = layerOf('global', { enable: { workspaces: { '/a': false, '/b': 'no', '/c': true } } }, 'g');
  expect(values.get('enable.workspaces')).toEqual({ '/a': false, '/c': true });
  expect(problems).toEqual([expect.stringContaining('enable.workspaces takes an object of true and false')]);
});

test('a relative path is none: it would mean whatever repository we run in', () => {
  for (const [group, knob] of [['catalogue', 'file'], ['debug', 'path'], ['model', 'ca_file']] as const) {
    for (const path of ['detectors.json', './x', '../x', '~/x', '/a\0b']) {
      const { values, problems } = layerOf('global', { [group]: { [knob]: path } }, 'g');
      expect([values.size, problems[0]], path).toEqual([0, expect.stringContaining(`${group}.${knob} takes an absolute path, or nothing`)]);
    }
    for (const path of ['', '/a b/x']) expect(layerOf('global', { [group]: { [knob]: path } }, 'g').values.get(`${group}.${knob}`)).toBe(path);
  }
});

test('a typed word becomes the knob’s kind of value', () => {
  const of = (name: string, word: string): unknown => {
    const row = knobRows().get(name);
    return row === undefined ? undefined : parseWord(row.knob, word);
  };
  expect(of('gate.rate_per_hour', '3')).toBe(3);
  expect(of('mute.all', 'true')).toBe(true);
  expect(of('mute.all', 'yes')).toBe('yes');
  expect(of('loop.salience_triggers', 'error,user_prompt')).toEqual(['error', 'user_prompt']);
  expect(of('enable.workspaces', '{"/a":false}')).toEqual({ '/a': false });
  expect(of('mcp.servers', '{broken')).toBe('{broken');
});
