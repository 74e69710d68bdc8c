// The scripted model of the fault suite: seeded, mostly silent, now and then an advisory that cites what it was shown.
import { feedbackCall } from '../support/fork-task.ts';
import { lookOf } from '../support/competent-model.ts';
import type { Fault, ModelRequest, Script } from '../support/model-server.ts';
import type { Random } from '../../bench/judgment/random.ts';

const SUBJECTS = ['parser', 'ledger', 'cursor', 'socket', 'schema', 'cache', 'queue', 'router', 'lexer', 'mailer', 'index', 'codec', 'timer', 'vault', 'broker'];
const FLAWS = ['drops the last row', 'ignores an empty name', 'counts twice on retry', 'keeps a stale handle', 'rounds toward zero', 'misses the leap day', 'sorts by text', 'loses its unit'];

export type WatcherOptions = { readonly advise?: number; readonly again?: number; readonly stale?: number; readonly finish?: number; /** Answers that first ask an MCP tool. */ readonly tools?: number; readonly fault?: () => Fault | undefined; readonly seen?: () => void; /** Told what would answer each advisory. */ readonly mends?: (word: string) => void };

/** Shares of answers: `advise` something new, `again` what it said before, with `stale` patterns, for the `finish` gate. */
export const makeWatcher = (random: Random, { advise = 0.75, again = 0.1, stale = 0.5, finish = 0.1, tools = 0, fault, seen, mends }: WatcherOptions = {}): Script => {
  const said: object[] = [];
  return (request) => {
    seen?.();
    const wrong = fault?.();
    const { lines } = lookOf(request);
    const last = lines.at(-1);
    const draw = random.next();
    const more = wrong === undefined ? {} : { fault: wrong };
    const mcp = request.rounds < 2 && random.chance(tools) ? toolsOf(request).filter((name) => CALLS.some((call) => name.endsWith(call))) : [];
    if (mcp.length > 0) return { ...more, calls: [{ name: random.pick(mcp), args: { text: 'x' } }] };
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
    mends?.(`mend-${key}`);
    return { ...more, calls: [feedbackCall(feedback)] };
  };
};

/** Tools of the tests' server: one answers, one fails, one ends its server, one never comes back. */
const CALLS = ['echo', 'fails', 'exit', 'slow'];

const toolsOf = ({ body }: ModelRequest): readonly string[] => ((body['tools'] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name).filter((name) => name.startsWith('mcp'));

/** One of everything that goes wrong at a provider, `share` of the time. */
export const drawFault = (random: Random, share: number): Fault | undefined => (random.chance(share) ? random.pick(FAULTS) : undefined);

const AFTER = ['nothing', 'headers', 'first-event', 'half'] as const;
const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
  { kind: 'status', status: 529 },
  { kind: 'status', status: 500 },
  ...AFTER.map((after): Fault => ({ kind: 'reset', after })),
  ...AFTER.map((after): Fault => ({ kind: 'hang', after })),
  { kind: 'cut' }, { kind: 'half-json' }, { kind: 'empty' },
  { kind: 'text', text: '<html>Bad gateway</html>' },
  { kind: 'error-event', type: 'overloaded_error' },
];
