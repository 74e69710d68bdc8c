// Which provider judges: the order of keys, where a key may go, and what is said about the rest.
import { describe, expect, it } from 'vitest';
import { defaultKnobs, type Knobs } from '../../../src/main/floor/knobs.ts';
import { ANTHROPIC_URL, chooseProvider, isKeyRefused, minCacheable, priceOf, type ProviderAsk } from '../../../src/main/pass/providers.ts';

const choose = (model: Partial<Knobs['model']>, env: Record<string, string> = {}, more: Partial<ProviderAsk> = {}) =>
  chooseProvider({ knobs: { ...defaultKnobs().model, ...model }, env, ...more });
const ALL = { SECOND_BRAIN_API_KEY: 'ours', ANTHROPIC_API_KEY: 'theirs', OPENAI_API_KEY: 'other' };
const GATEWAY = 'https://gateway.example/v1';

describe('the order of auto', () => {
  it.each<[string, Partial<Knobs['model']>, Record<string, string>, string, string, string]>([
    ['our own key goes to anthropic', {}, ALL, 'anthropic', 'SECOND_BRAIN_API_KEY', ANTHROPIC_URL],
    ['our own key with an address of ours is openai', { base_url: GATEWAY, name: 'small' }, ALL, 'openai', 'SECOND_BRAIN_API_KEY', GATEWAY],
    ['then ANTHROPIC_API_KEY', {}, { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'o' }, 'anthropic', 'ANTHROPIC_API_KEY', ANTHROPIC_URL],
    ['then OPENAI_API_KEY with address and name', { base_url: GATEWAY, name: 'small' }, { OPENAI_API_KEY: 'o' }, 'openai', 'OPENAI_API_KEY', GATEWAY],
    ['an OPENAI_API_KEY without both is left alone', { base_url: GATEWAY }, { OPENAI_API_KEY: 'o' }, 'local', 'none', ''],
    ['nothing at all is local', {}, {}, 'local', 'none', ''],
    ['empty variables are none', {}, { ANTHROPIC_API_KEY: '', SECOND_BRAIN_API_KEY: '' }, 'local', 'none', ''],
    ['a subscription token is never read', {}, { ANTHROPIC_AUTH_TOKEN: 't', CLAUDE_CODE_OAUTH_TOKEN: 't' }, 'local', 'none', ''],
    ['ANTHROPIC_API_KEY never goes to an address meant for others', { base_url: GATEWAY }, { ANTHROPIC_API_KEY: 'k' }, 'anthropic', 'ANTHROPIC_API_KEY', ANTHROPIC_URL],
  ])('%s', (_name, model, env, kind, key_from, base_url) => {
    const { provider, ...rest } = choose(model, env);
    expect({ kind: provider.kind, base_url: provider.base_url, key_from: rest.key_from }).toEqual({ kind, base_url, key_from });
  });

  it('the key of a command is ours too', () => {
    expect(choose({}, { ANTHROPIC_API_KEY: 'k' }, { command_key: 'c' })).toMatchObject({ key: 'c', key_from: 'model.key_command', provider: { kind: 'anthropic' } });
  });

  it('a key that was refused is left for the next, and named', () => {
    const next = choose({}, ALL, { failed: ['SECOND_BRAIN_API_KEY'] });
    expect(next).toMatchObject({ key: 'theirs', problems: [expect.stringContaining('SECOND_BRAIN_API_KEY')] });
    expect(choose({}, ALL, { failed: ['SECOND_BRAIN_API_KEY', 'ANTHROPIC_API_KEY'] }).provider.kind).toBe('local');
  });
});

describe('an address from the environment', () => {
  it('makes its key unusable, once named', () => {
    const chosen = choose({}, { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'https://evil.example' });
    expect(chosen).toMatchObject({ key: '', provider: { kind: 'local' }, problems: [expect.stringContaining('ANTHROPIC_BASE_URL')] });
    const openai = choose({ base_url: GATEWAY, name: 'm' }, { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'https://evil.example' });
    expect(openai).toMatchObject({ key: '', provider: { kind: 'local' } });
  });

  it('that is the same place changes nothing', () => {
    expect(choose({}, { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${ANTHROPIC_URL}/` }).provider.kind).toBe('anthropic');
  });

  it('is never where our own key goes', () => {
    expect(choose({}, { SECOND_BRAIN_API_KEY: 'k', ANTHROPIC_BASE_URL: 'https://evil.example' }).provider.base_url).toBe(ANTHROPIC_URL);
  });

  it.each([
    [true, 'http://127.0.0.1:8787', 'anthropic', 'http://127.0.0.1:8787'],
    [true, 'http://localhost:1', 'anthropic', 'http://localhost:1'],
    [true, 'http://[::1]:1', 'anthropic', 'http://[::1]:1'],
    [false, 'http://127.0.0.1:8787', 'local', ''],
    [true, 'http://127.0.0.1.evil.example', 'local', ''],
    [true, 'https://evil.example', 'local', ''],
  ])('with test_endpoint %s, %s leads to %s', (test_endpoint, url, kind, base_url) => {
    const { provider } = choose({ test_endpoint }, { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url });
    expect([provider.kind, provider.base_url]).toEqual([kind, base_url]);
  });
});

describe('an address from our configuration', () => {
  it.each([
    ['http://gateway.example', false],
    ['ftp://gateway.example', false],
    ['not an address', false],
    ['https://user:pw@gateway.example', false],
    ['http://127.0.0.1:11434/v1', true],
    [GATEWAY, true],
  ])('%s is usable: %s', (base_url, usable) => {
    const chosen = choose({ provider: 'openai', base_url, name: 'small' }, { SECOND_BRAIN_API_KEY: 'k' });
    expect(chosen.provider.kind).toBe(usable ? 'openai' : 'local');
    expect(chosen.problems.length > 0).toBe(!usable);
    expect(chosen.problems.join()).not.toContain('pw');
  });

  it('is used for anthropic when that is chosen, and needs no key for an openai server chosen by name', () => {
    expect(choose({ provider: 'anthropic', base_url: GATEWAY }, { ANTHROPIC_API_KEY: 'k' }).provider).toMatchObject({ kind: 'anthropic', base_url: GATEWAY });
    expect(choose({ provider: 'openai', base_url: 'http://localhost:11434/v1', name: 'qwen' })).toMatchObject({ key: '', provider: { kind: 'openai', model: 'qwen' } });
  });
});

it('host is chosen explicitly, keeps five-minute marks and holds no key', () => {
  expect(choose({ provider: 'host', cache_ttl: '1h' }, ALL)).toMatchObject({ key: '', provider: { kind: 'host', model: 'haiku', cache_ttl: '5m' } });
});

it('a host whose login is refused is left for the local rules, said once', () => {
  expect(choose({ provider: 'host' }, {}, { failed: ['your Claude Code login'] })).toMatchObject({ provider: { kind: 'local' }, problems: [expect.stringContaining('your Claude Code login')] });
});

it('an explicit provider without a key says so and judges locally', () => {
  expect(choose({ provider: 'anthropic' })).toMatchObject({ provider: { kind: 'local' }, problems: [expect.stringContaining('no key')] });
});

it('proxy and authority come from the environment only when it is trusted, and never for loopback', () => {
  const env = { ANTHROPIC_API_KEY: 'k', HTTPS_PROXY: 'http://p:1', NODE_EXTRA_CA_CERTS: '/ca.pem' };
  expect(choose({}, env)).not.toHaveProperty('ca_file');
  expect(choose({}, env).provider).not.toHaveProperty('proxy');
  expect(choose({ trust_env: true }, env)).toMatchObject({ ca_file: '/ca.pem', provider: { proxy: 'http://p:1' } });
  expect(choose({ proxy: 'http://q:2' }, env).provider).toMatchObject({ proxy: 'http://q:2' });
  expect(choose({ proxy: 'http://q:2', provider: 'openai', base_url: 'http://localhost:1', name: 'm' }).provider).not.toHaveProperty('proxy');
});

it('the shown provider carries no key', () => {
  expect(JSON.stringify(choose({}, ALL).provider)).not.toMatch(/ours|theirs|other/);
});

it('a refused key is told from other failures by the cause', () => {
  expect(['http 401 authentication_error', 'http 403', 'host: http 401'].every(isKeyRefused)).toBe(true);
  expect(['http 4010', 'http 429', 'connection: ECONNRESET', undefined].some(isKeyRefused)).toBe(false);
});

it('E5: the minimum that is cached is known per model, and prices only of models we know', () => {
  expect(minCacheable('anthropic', 'claude-haiku-5-5')).toBe(4096);
  expect(minCacheable('anthropic', 'claude-sonnet-5-5')).toBe(1024);
  expect(minCacheable('local', 'rules')).toBe(Infinity);
  const none = { price_in: -1, price_out: -1 };
  expect(priceOf('claude-haiku-5-5', none)).toEqual({ input: 1, output: 5 });
  expect(priceOf('qwen', none)).toBeUndefined();
  expect(priceOf('qwen', { price_in: 0.2, price_out: 0.4 })).toEqual({ input: 0.2, output: 0.4 });
});
