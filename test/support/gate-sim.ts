// A gate simulator: a script of advice, activity and drains goes in, what was decided and delivered comes out. It runs the
// real gate over the real history fold, so that every decision also rests on what a restarted monitor would read.
import { adviceId, makeAdvice } from '../../src/main/speak/advice.ts';
import { admit, judge, resolvedMail } from '../../src/main/speak/gate.ts';
import { factsOf, rowsOf } from '../../src/main/speak/history.ts';
import { isStale } from '../../src/main/speak/stale.ts';
import { defaultKnobs, type Knobs } from '../../src/main/floor/knobs.ts';
import type { Advice, Because, Observation } from '../../src/main/records.ts';
import type { HistoryLine } from '../../src/main/surfaces.ts';

/** `at` in seconds. */
export type Step = { readonly at: number } & (
  | { readonly do: 'advise'; readonly headline: string; readonly key?: string; readonly detector?: string; readonly confidence?: number; readonly evidence?: boolean; readonly stale_if?: readonly string[]; readonly human_only?: boolean; readonly task?: string; readonly floor?: number }
  | { readonly do: 'resolve'; readonly detector: string; readonly key?: string }
  | { readonly do: 'observe'; readonly text: string; readonly kind?: Observation['kind'] }
  | { readonly do: 'drain' | 'tick' }
  | { readonly do: 'mute'; readonly on: boolean }
  | { readonly do: 'suppress'; readonly key: string }
);

export type Outcome = {
  /** One word per `advise`, in order: `agent`, `human`, or why not. */
  readonly decisions: readonly string[];
  readonly delivered: readonly { readonly headline: string; readonly to: 'agent' | 'human'; readonly at: number; readonly id: string }[];
  readonly gone: readonly { readonly headline: string; readonly because: Because }[];
  readonly waiting: readonly Advice[];
};

export const simulate = (steps: readonly Step[], gate: Partial<Knobs['gate']> = {}): Outcome => {
  const limits = { ...defaultKnobs().gate, ...gate };
  const lines: HistoryLine[] = [];
  const seen: { readonly n: number; readonly observation: Pick<Observation, 'kind' | 'text'> }[] = [];
  const suppressed: string[] = [];
  const decisions: string[] = [];
  const delivered: Outcome['delivered'][number][] = [];
  const gone: Outcome['gone'][number][] = [];
  let muted = false;
  let serial = 0;

  const log = (line: Omit<HistoryLine, 'v'>): void => void lines.push({ v: 1, ...line });
  const leave = (advice: Advice, because: Because, at: number, event: 'expired' | 'withdrawn'): void => {
    log({ at, id: advice.id, event, because });
    gone.push({ headline: advice.headline, because });
  };
  const facts = (task: string) => factsOf(rowsOf(lines), task, []);
  const retire = (now: number): void => {
    for (const mail of facts('t').waiting) {
      if (now >= mail.generated_at + mail.ttl * 1000) leave(mail, 'expired-ttl', now, 'expired');
      else if (now >= (mail.enqueued_at ?? now) + limits.queue_timeout_s * 1000) leave(mail, 'expired-queue', now, 'expired');
      else if (isStale(mail.stale_if, seen.filter(({ n }) => n > mail.after).map(({ observation }) => observation))) leave(mail, 'stale', now, 'withdrawn');
    }
  };

  for (const step of steps) {
    const now = step.at * 1000;
    retire(now);
    if (step.do === 'observe') seen.push({ n: seen.length + 1, observation: { kind: step.kind ?? 'tool', text: step.text } });
    else if (step.do === 'mute') muted = step.on;
    else if (step.do === 'suppress') suppressed.push(step.key);
    else if (step.do === 'resolve') {
      const feedback = { verdict: 'resolved' as const, ...(step.key === undefined ? {} : { dedup_key: step.key }) };
      for (const { advice, because } of resolvedMail(facts('t').waiting, step.detector, feedback)) leave(advice, because, now, 'withdrawn');
    } else if (step.do === 'drain' && !muted) {
      for (const mail of facts('t').waiting) {
        log({ at: now, id: mail.id, event: 'claimed', channel: 'PostToolUse' });
        log({ at: now, id: mail.id, event: 'confirmed' });
        delivered.push({ headline: mail.headline, to: mail.human_only ? 'human' : 'agent', at: step.at, id: mail.id });
      }
    } else if (step.do === 'advise') {
      serial += 1;
      const task = step.task ?? 't';
      const advice = makeAdvice(
        { verdict: 'advise', headline: step.headline, confidence: step.confidence ?? 0.8, ...(step.key === undefined ? {} : { dedup_key: step.key }), stale_if: step.stale_if ?? [] },
        {
          entropy: Uint8Array.of(0, 0, 0, 0, 0, serial / 1296, (serial / 36) % 36, serial % 36), task_id: task, session_id: 's', workspace: '/w', host_pid: 1, detector: step.detector ?? `d${serial}`,
          evidence: step.evidence === false ? [] : [{ cite: '#1', text: '[tool] Bash' }], now, after: seen.length, limits,
          ...(step.human_only === undefined ? {} : { match: { detector: 'd', key: step.key ?? '', headline: step.headline, body: '', evidence: [], stale_if: [], human_only: step.human_only } }),
        },
      );
      log({ at: now, id: advice.id, event: 'generated', advice });
      const later = seen.filter(({ n }) => n > advice.after).map(({ observation }) => observation);
      const decision = judge(advice, { ...facts(task), muted, suppressed, later, floor: { value: step.floor ?? limits.confidence_floor } }, now, limits);
      decisions.push(decision.speak ? decision.to : decision.because);
      log({ at: now, id: advice.id, event: 'gated', advice: decision.advice, ...(decision.because === undefined ? {} : { because: decision.because }) });
      if (!decision.speak) continue;
      const { out } = admit(facts(task).waiting, decision.advice, limits);
      log({ at: now, id: advice.id, event: 'enqueued', advice: { ...decision.advice, enqueued_at: now } });
      for (const { advice: ousted, because } of out) leave(ousted, because, now, 'withdrawn');
    }
  }
  return { decisions, delivered, gone, waiting: facts('t').waiting };
};

/** Eight bytes that give `n` its own id. */
export const idOf = (n: number): string => adviceId(Uint8Array.of(1, 2, 3, 4, 5, 6, n / 36, n % 36));
