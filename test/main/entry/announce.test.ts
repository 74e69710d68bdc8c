import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { announce, offerHost, unsay, type AnnounceContext } from '../../../src/main/entry/announce.ts';
import { defaultKnobs, type Knobs } from '../../../src/main/floor/knobs.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { claimMail, listMail } from '../../../src/main/speak/mailbox-file.ts';
import { NOW } from '../../support/mail.ts';

let data = '';
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-announce-'));
  paths = pathsUnder(data);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const at = (session: string, workspace: string, model: Partial<Knobs['model']> = {}): AnnounceContext => ({
  session, workspace, host_pid: 4242,
  knobs: () => ({ ...defaultKnobs(), model: { ...defaultKnobs().model, ...model } }),
  judge: { keyFrom: () => 'ANTHROPIC_API_KEY' },
});
const PAID = { kind: 'anthropic', base_url: 'https://api.anthropic.com', model: 'claude-haiku-5-5', key: 'sk-dummy-0000', cache_ttl: '5m', auto_choice: false } as const;
const told = (session: string): readonly string[] => listMail(paths.mailbox(session)).map(({ said }) => said.user);

test('the own login is offered once to the user, with provider, model, caps and the way there, and never to the agent', () => {
  offerHost(paths, at('s1', '/w'), NOW);
  offerHost(paths, at('s1', '/w'), NOW);
  offerHost(paths, at('s2', '/other'), NOW);
  expect(told('s2')).toEqual([]);
  const [offer, ...more] = listMail(paths.mailbox('s1'));
  expect(more).toEqual([]);
  expect(offer?.said.agent).toBe('');
  expect(offer?.advice.human_only).toBe(true);
  for (const words of ['no key', 'host, haiku', 'your Claude Code login', '300000', '2000000', '/second-brain-config set model.provider host']) expect(offer?.said.user).toContain(words);
});

test('who has chosen a provider is offered none', () => {
  for (const provider of ['local', 'anthropic', 'openai', 'host'] as const) offerHost(paths, at('s1', '/w', { provider }), NOW);
  expect(told('s1')).toEqual([]);
});

test('the first paid use is told once in each workspace: provider, model, where the key came from, caps; not the key', () => {
  announce(paths, at('s1', '/w'), PAID, NOW);
  announce(paths, at('s2', '/w'), PAID, NOW);
  announce(paths, at('s3', '/other'), PAID, NOW);
  expect([told('s1').length, told('s2').length, told('s3').length]).toEqual([1, 0, 1]);
  for (const words of ['anthropic', 'claude-haiku-5-5', 'ANTHROPIC_API_KEY', '600000', '2000000', '/second-brain-config set model.provider local']) expect(told('s1')[0]).toContain(words);
  expect(told('s1')[0]).not.toContain('sk-dummy');
});

test('of the host provider its own ceiling is told', () => {
  announce(paths, at('s1', '/w', { provider: 'host' }), { ...PAID, kind: 'host', model: 'haiku' }, NOW);
  expect(told('s1')[0]).toContain('300000');
});

test('what nobody was shown before the session ended is said in the next; what was shown is not', () => {
  announce(paths, at('s1', '/w'), PAID, NOW);
  offerHost(paths, at('s1', '/w'), NOW);
  const box = paths.mailbox('s1');
  for (const mail of listMail(box)) if (mail.said.user.includes('now asks')) claimMail(box, mail, { channel: 'UserPromptSubmit', ref: 'p', at: NOW });
  unsay(paths, 's1');
  expect(told('s1')).toEqual([]);
  announce(paths, at('s2', '/w'), PAID, NOW);
  offerHost(paths, at('s2', '/w'), NOW);
  expect(told('s2')).toHaveLength(1);
  expect(told('s2')[0]).toContain('It can ask your own Claude Code');
});
