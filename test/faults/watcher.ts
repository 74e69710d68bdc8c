// The scripted model of the fault suite: seeded, mostly silent, now and then an advisory that cites what it was shown.
import { feedbackCall } from '../support/fork-task.ts';
import { lookOf } from '../support/competent-model.ts';
import type { Fault, Script } from '../support/model-server.ts';
import type { Random } from '../../bench/judgment/random.ts';

const SUBJECTS = ['parser', 'ledger', 'cursor', 'socket', 'schema', 'cache', 'queue', 'router', 'lexer', 'mailer', 'index', 'codec', 'timer', 'vault', 'broker'];
const FLAWS = ['drops the last row', 'ignores an empty name', 'counts twice on retry', 'keeps a stale handle', 'rounds toward zero', 'misses the leap day', 'sorts by text', 'loses its unit'];

export type WatcherOptions = { readonly advise?: number; readonly again?: number; readonly stale?: number; readonly finish?: number; readonly fault?: () => Fault | undefined; readonly seen?: (n: number) => void };

/** Shares of answers: `advise` something new, `again` what it said before, with `stale` patterns, for the `finish` gate. */
export const makeWatcher = (random: Random, { advise = 0.75, again = 0.1, stale = 0.5, finish = 0.1, fault, seen }: WatcherOptions = {}): Script => {
  const said: object[] = [];
  return (request) => {
    seen?.(request.n);
    const wrong = fault?.();
    const { lines } = lookOf(request);
    const last = lines.at(-1);
    const draw = random.next();
    const more = wrong === undefined ? {} : { fault: wrong };
    if (last === undefined || draw > advise + again) return { ...more, calls: [feedbackCall()] };
    if (draw > advise && said.length > 0) return { ...more, calls: [feedbackCall(random.pick(said))] };
    const key = `k${request.n}-${random.int(0, 1e6).toString(36)}`;
    const feedback = {
      verdict: 'advise', confidence: 0.9, dedup_key: key, evidence: [`#${last.n}`],
      headline: `The ${random.pick(SUBJECTS)} of part ${key} ${random.pick(FLAWS)}.`,
      body: `Seen in ${random.some(SUBJECTS, 3).join(', ')}: ${random.some(FLAWS, 2).join(', ')}.`,
      stale_if: random.chance(stale) ? [`mend-${key}`] : [],
      ...(random.chance(finish) ? { finish_gate: true } : {}),
    };
    said.push(feedback);
    return { ...more, calls: [feedbackCall(feedback)] };
  };
};
