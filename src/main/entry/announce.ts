// Said once, to the person alone: which provider is now asked, by whose key, within which caps; or which could be (SPEC 7.1).
import { createOnce, remove } from '../floor/disk-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import { hashOf, type Paths } from '../floor/paths.ts';
import { chooseProvider } from '../pass/providers.ts';
import { adviceId } from '../speak/advice.ts';
import { listMail, putMail, withdrawMail } from '../speak/mailbox-file.ts';
import type { Advice } from '../records.ts';
import type { Provider } from '../../workers/contract.ts';

export type AnnounceContext = {
  readonly session: string;
  readonly host_pid: number;
  readonly workspace: string;
  readonly knobs: () => Knobs;
  readonly judge: { readonly keyFrom: () => string };
};

const NOTICE_TTL_S = 86_400;
const PAID = 'first-paid-use';
const OFFER = 'offer-of-your-login';

/** The offer is the user's, wherever they work. */
const saidAt = (paths: Paths, workspace: string, key: string): string => paths.said(key === OFFER ? 'user' : hashOf(workspace), key);

/** What nobody was shown while the session lasted is said another time. */
export const unsay = (paths: Paths, session: string): void => {
  const box = paths.mailbox(session);
  for (const { advice } of listMail(box)) if (advice.kind === 'notice' && withdrawMail(box, advice.id)) remove(saidAt(paths, advice.workspace, advice.dedup_key));
};

/** A provider is asked: told the first time in a workspace; its words carry no key. */
export const announce = (paths: Paths, context: AnnounceContext, provider: Provider, now: number): void => {
  const { workspace, knobs, judge } = context;
  if (!createOnce(saidAt(paths, workspace, PAID), '')) return;
  const { budget } = knobs();
  const hour = provider.kind === 'host' ? Math.min(budget.host_tokens_per_hour, budget.tokens_per_hour) : budget.tokens_per_hour;
  notice(paths, context, now, PAID, [
    `Second Brain now asks a model about this workspace: ${provider.kind}, ${provider.model}, by ${judge.keyFrom()}.`,
    `It may spend up to ${hour} cost-weighted tokens an hour and ${budget.tokens_per_task} a task; /second-brain-stats shows what it did.`,
    'To keep everything on this machine: /second-brain-config set model.provider local',
  ]);
};

/** Nobody is asked, for want of a key, and nobody has chosen that: what the person's own login could do is offered once. */
export const offerHost = (paths: Paths, context: AnnounceContext, now: number): void => {
  const { model, budget } = context.knobs();
  if (model.provider !== 'auto' || !createOnce(saidAt(paths, context.workspace, OFFER), '')) return;
  const { provider, key_from } = chooseProvider({ knobs: { ...model, provider: 'host' }, env: {} });
  notice(paths, context, now, OFFER, [
    'Second Brain judges by its rules alone: it has no key for a model.',
    `It can ask your own Claude Code: ${provider.kind}, ${provider.model}, by ${key_from}. That draws on your own limits, up to ${Math.min(budget.host_tokens_per_hour, budget.tokens_per_hour)} cost-weighted tokens an hour and ${budget.tokens_per_task} a task, and keeps still at any sign of a rate limit.`,
    'To have that here: /second-brain-config set model.provider host (with --global everywhere). Else nothing need be done; this is said once.',
  ]);
};

const notice = (paths: Paths, { session, host_pid, workspace }: AnnounceContext, now: number, key: string, lines: readonly string[]): void => {
  const advice: Advice = {
    v: 1, id: adviceId(Buffer.from(hashOf(`${workspace}.${key}.${now}`))), task_id: 'none', session_id: session, workspace, host_pid, kind: 'notice', headline: key.replaceAll('-', ' '), body: lines.join('\n'), confidence: 1,
    evidence: [], dedup_key: key, stale_if: [], human_only: true, finish_gate: false, generated_at: now, ttl: NOTICE_TTL_S, after: 0,
    // It waits as long as it is true: nobody may have been there for ten minutes.
    enqueued_at: now + NOTICE_TTL_S * 1000,
  };
  putMail(paths.mailbox(session), advice, { agent: '', user: advice.body });
};
