// Mail, turns and occasions for tests of what is said when; every field but those named is as good as any.
import type { Advice } from '../../src/main/records.ts';
import type { TurnFile } from '../../src/main/surfaces.ts';
import type { ClaimFacts, Occasion } from '../../src/main/speak/claim.ts';
import type { Claim, Mail } from '../../src/main/speak/envelope.ts';

export const NOW = 1_800_000_000_000;
export const HOST = 4242;

export const advice = (changes: Partial<Advice> = {}): Advice => ({
  v: 1,
  id: 'sb-abcd1234',
  task_id: 'task-1',
  session_id: 'session-1',
  workspace: '/w',
  host_pid: HOST,
  kind: 'default',
  headline: 'The tests have not run since the last edit.',
  body: '',
  confidence: 0.8,
  evidence: [{ cite: '#3', text: '[tool] Edit src/wc.py' }],
  dedup_key: 'tests-not-run',
  stale_if: [],
  human_only: false,
  finish_gate: false,
  generated_at: NOW - 1000,
  ttl: 1800,
  after: 3,
  enqueued_at: NOW - 500,
  ...changes,
});

export const said = ({ id, headline }: Advice): Mail['said'] => ({ agent: `[Second Brain ${id}] ${headline}`, user: `[Second Brain ${id}] ${headline}\n— silence it` });

export const mail = (changes: Partial<Advice> = {}, again = false): Mail => {
  const item = advice(changes);
  return { name: again ? `${item.id}+` : item.id, advice: item, said: said(item), again };
};

export const claim = (changes: Partial<Advice> = {}, mark: Partial<Claim> = {}): Claim => ({ ...mail(changes), channel: 'PostToolUse', ref: 'toolu_1', at: NOW, ...mark });

export const turn = (changes: Partial<TurnFile> = {}): TurnFile => ({
  v: 1,
  at: NOW,
  host_pid: HOST,
  state: 'working',
  task: 'task-1',
  agent_monitors: [],
  unreported: [],
  wake_used: false,
  muted: false,
  ended: false,
  finish_gate: { enabled: true, floor: 0.75, min_interval_s: 3600, per_task_cap: 3, settle_s: 600 },
  advice_ttl_s: 1800,
  queue_timeout_s: 600,
  ...changes,
});

export const occasion = (changes: Partial<Occasion> = {}): Occasion => ({ event: 'PostToolUse', session: 'session-1', text: '', ...changes });

export const facts = (changes: Partial<ClaimFacts> = {}): ClaimFacts => ({ host_pid: HOST, turn: turn(), prompts_seen: [], muted: false, now: NOW, ...changes });
