// Sessions as their files would tell them, of any size and with text that would break a page that did not escape it.
import type { ReportSource } from '../../src/main/show/report-model.ts';
import type { Advice, Because, Usage } from '../../src/main/records.ts';
import type { HistoryLine, Mark, PassFork, PassLine } from '../../src/main/surfaces.ts';

export const HOSTILE = '</script></style><script>alert(1)</script><img src=x onerror=alert(2)> " onmouseover=alert(3) \' `${alert(4)}` \u001b[31m \u202egnp.exe &lt;b&gt; <!-- ]]> javascript:alert(5)';

const START = Date.UTC(2026, 10, 30, 9, 0, 0);
const DETECTORS = ['cross-task-collision', 'dead-end', 'default', 'goal-drift', 'repeat-failure', 'standard-questions', 'test-honesty', 'unfinished'];
const WITHHELD: readonly Because[] = ['below-human-floor', 'duplicate', 'no-evidence', 'cooldown', 'stale'];

const PATHS = ['src/parcel/rates.ts', 'src/parcel/zones.ts', 'test/rates.test.ts', 'docs/rates.md', 'src/api/quote.ts'];
const ERRORS = ['Bash npm test failed: exit 1: 2 tests failed in rates.test.ts', 'Edit failed: the string to replace was not found', 'Bash tsc --noEmit failed: TS2345 Argument of type string is not assignable'];
const PROMPTS = ['Make the rates table respect the island surcharge', 'Now the tests for it, please', 'Why does quote.ts round twice?', 'Keep the old names for one release'];

/** About `events` marks over a working day; the texts are HOSTILE when asked. Money and cache as with a real provider, unless `local`. */
export const sessionOf = (events: number, { hostile = false, local = false, name = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb' } = {}): ReportSource => {
  const random = dice(events + 7);
  const count = Math.max(2, Math.min(240, Math.round(events / 12)));
  const step = Math.round((8 * 3_600_000) / count);
  const text = (usual: string): string => (hostile ? `${usual} ${HOSTILE}` : usual);
  const passes: PassLine[] = [];
  const history: HistoryLine[] = [];
  let n = 0;
  let chars = 9000;
  let compactions = 0;
  let agent = 0;
  for (let pass = 1; pass <= count; pass += 1) {
    const at = START + pass * step;
    const wanted = Math.round((events * pass) / count) - Math.round((events * (pass - 1)) / count);
    const marks = Array.from({ length: wanted }, (_, i): Mark => {
      const dice = random();
      const kind = dice < 0.12 || n === 0 ? 'prompt' : dice < 0.75 ? 'edit' : dice < 0.98 ? 'error' : 'note';
      n += 1;
      const words = kind === 'prompt' ? pick(PROMPTS, random) : kind === 'edit' ? `Edit ${pick(PATHS, random)}` : kind === 'error' ? pick(ERRORS, random) : 'the conversation was compacted by the host';
      return { at: at - step + Math.round((step * (i + random() * 0.5)) / Math.max(1, wanted)), n, kind, text: text(words) };
    });
    chars += 4000 + Math.round(random() * (600_000 / count) * 4);
    if (chars > 340_000) {
      chars = 240_000;
      compactions += 1;
    }
    agent += 90_000 + Math.round(random() * 400_000);
    const forks = DETECTORS.filter(() => random() < 0.7).map((detector, i) => forkOf(text(detector), i, chars, local, random));
    const tokens = forks.reduce((sum, fork) => sum + fork.tokens, 0);
    passes.push({
      v: 1, task: 't-1', pass, at, ended_at: at + Math.max(0, ...forks.map(({ from_ms, took_ms }) => from_ms + took_ms)),
      because: pass % 4 === 0 ? 'turn-end' : 'volume', provider: local ? 'local' : 'anthropic', model: local ? '' : 'claude-haiku-4-5',
      observations: wanted * 3, marks, forks, skipped: [{ detector: 'repeat-failure', because: 'no-match' }],
      tokens, ...(local ? {} : { usd: tokens / 1_000_000 }),
      primary: { ...NONE, input: 1000 * pass, output: 700 * pass, cache_read: agent },
      window: { chars, budget_chars: 400_000, compactions },
    });
    if (pass % Math.max(1, Math.round(count / 9)) === 0) history.push(...advised(pass, at + 5000, text, random));
  }
  const volume = (calls: number, raw_chars: number, kept_chars: number) => ({ count: calls, raw_chars, kept_chars });
  return {
    name, workspace: text('/work/parcel'), history, passes,
    volumes: {
      tools: { [text('Bash')]: volume(412, 1_900_000, 160_000), Read: volume(230, 2_600_000, 31_000), Edit: volume(301, 420_000, 118_000), Grep: volume(77, 160_000, 9000), Write: volume(12, 88_000, 2400), Task: volume(4, 61_000, 6000), 'mcp__issues__list': volume(3, 40_000, 1100) },
      kinds: { assistant: volume(900, 2_000_000, 210_000), user: volume(1000, 3_200_000, 120_000) },
      unknown: { [text('new-kind')]: 2 },
    },
  };
};

const NONE: Usage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

const forkOf = (detector: string, i: number, chars: number, local: boolean, random: () => number): PassFork => {
  const prefix = Math.round(chars / 3.5);
  const usage: Usage = local ? NONE : i === 0 ? { ...NONE, input: 600, output: 90, cache_read: Math.round(prefix * 0.93), cache_write_5m: Math.round(prefix * 0.07) } : { ...NONE, input: 650, output: 120, cache_read: prefix };
  const failed = random() < 0.03;
  const advise = !failed && random() < 0.04;
  return {
    detector, pilot: i === 0, end: failed ? 'deadline' : 'feedback', verdict: advise ? 'advise' : 'silent',
    from_ms: i === 0 ? 0 : 900 + Math.round(random() * 150), took_ms: failed ? 20_000 : 1200 + Math.round(random() * 5200), first_event_ms: 850,
    usage, tokens: local ? 0 : Math.round(usage.input + usage.cache_read * 0.1 + usage.cache_write_5m * 1.25 + usage.output * 5),
    ...(advise ? { headline: 'The surcharge is tested for one island only', confidence: 0.72 } : {}),
    ...(failed ? { cause: 'no answer within 20 s' } : {}),
  };
};

const advised = (pass: number, at: number, text: (usual: string) => string, random: () => number): readonly HistoryLine[] => {
  const id = `sb-${String(pass).padStart(4, '0')}`;
  const advice: Advice = {
    v: 1, id, task_id: 't-1', session_id: 's', workspace: text('/work/parcel'), host_pid: 1, kind: pick(DETECTORS, random),
    headline: text('The island surcharge is applied twice when a quote is re-rated'),
    body: text('rates.ts adds the surcharge in zoneRate and quote.ts adds it again after rounding; the test covers the first path only.'),
    confidence: 0.5 + random() / 2, evidence: [{ cite: '#41', text: text('[tool] Edit src/parcel/rates.ts @L88-L94') }, { cite: '#57', text: text('[error] 2 tests failed in rates.test.ts') }],
    dedup_key: id, stale_if: [], human_only: pass % 2 === 0, finish_gate: false, generated_at: at, ttl: 1800, after: 57,
  };
  const line = (later: number, event: HistoryLine['event'], more: Partial<HistoryLine> = {}): HistoryLine => ({ v: 1, at: at + later, id, event, ...more });
  const start = line(0, 'generated', { advice });
  if (random() < 0.4) return [start, line(1, 'gated', { because: pick(WITHHELD, random) })];
  return [start, line(1, 'enqueued', { advice }), line(9000, 'claimed', { channel: 'PostToolUse' }), line(12_000, 'confirmed', { channel: 'PostToolUse' }), line(400_000, 'outcome', { verdict: random() < 0.6 ? 'adopted' : 'no_evidence', evidence: [text('#63 [tool] Edit src/api/quote.ts')] })];
};

const pick = <T>(from: readonly T[], random: () => number): T => {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
};

/** The same numbers in every run. */
const dice = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};
