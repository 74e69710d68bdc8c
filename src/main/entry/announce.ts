// Said once in a workspace, to the person alone: that a provider is now asked, which, by whose key, within which caps (SPEC 7.1).
import { createOnce } from '../floor/disk-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import { hashOf, type Paths } from '../floor/paths.ts';
import { adviceId } from '../speak/advice.ts';
import { putMail } from '../speak/mailbox-file.ts';
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

/** Puts the notice into the mailbox the first time; its words carry no key. */
export const announce = (paths: Paths, { session, host_pid, workspace, knobs, judge }: AnnounceContext, provider: Provider, now: number): void => {
  if (!createOnce(paths.said(hashOf(workspace), 'first-paid-use'), '')) return;
  const { budget } = knobs();
  const text = [
    `Second Brain now asks a model about this workspace: ${provider.kind}, ${provider.model}, by ${judge.keyFrom()}.`,
    `It may spend up to ${budget.tokens_per_hour} cost-weighted tokens an hour and ${budget.tokens_per_task} a task; /second-brain-stats shows what it did.`,
    'To keep everything on this machine: /second-brain-config set model.provider local',
  ].join('\n');
  const advice: Advice = {
    v: 1, id: adviceId(Buffer.from(hashOf(`${workspace}.${now}`))), task_id: 'none', session_id: session, workspace, host_pid, kind: 'notice', headline: 'first paid use', body: text, confidence: 1,
    evidence: [], dedup_key: 'first-paid-use', stale_if: [], human_only: true, finish_gate: false, generated_at: now, ttl: NOTICE_TTL_S, after: 0,
    // It waits as long as it is true: nobody may have been there for ten minutes.
    enqueued_at: now + NOTICE_TTL_S * 1000,
  };
  putMail(paths.mailbox(session), advice, { agent: '', user: text });
};
