// What is kept of a pass once it is over: the line of passes.jsonl from which the report is drawn.
import { outputRatio, costOf } from './judging.ts';
import { weigh } from './pass/budget.ts';
import type { ForkResult, Numbered } from './records.ts';
import type { Mark, PassFork, PassLine } from './surfaces.ts';
import type { Pass, Watching } from './watching.ts';

/** The line of a pass that ended at `now`. Texts are cut to what a table shows; marks that do not fit are counted. */
export const passLine = (w: Watching, pass: Pass, results: readonly ForkResult[], now: number): PassLine => {
  const { provider } = pass.judge;
  const { tokens, usd } = costOf(pass.judge, results);
  const seen = pass.stamp.task === w.window.task ? seenIn(w, pass.stamp.pass) : { observations: [], history: [] };
  const { marks, more } = marksOf([...seen.history, ...seen.observations]);
  const first = Math.min(...results.map(({ started_at }) => started_at).filter((at) => at > 0));
  return {
    v: 1,
    task: pass.stamp.task, pass: pass.stamp.pass,
    at: pass.at, ended_at: now,
    because: pass.because,
    provider: provider.kind, model: provider.model,
    observations: seen.observations.length,
    marks,
    ...(more === 0 ? {} : { more_marks: more }),
    forks: results.map((result) => forkOf(result, first, weigh(result.usage, outputRatio(pass.judge)))),
    // One that is switched off is nothing a pass decided.
    skipped: pass.skipped.filter(({ because }) => because !== 'disabled'),
    tokens,
    ...(usd === undefined ? {} : { usd }),
    primary: w.usage.total,
    window: { chars: w.window.chars, budget_chars: w.setup.knobs().window.budget_chars, compactions: w.compactions },
  };
};

/** What came into the window for this pass, and what was there before the watch began. */
const seenIn = ({ window }: Watching, pass: number): { readonly observations: readonly Numbered[]; readonly history: readonly Numbered[] } => {
  const within = (kind: 'observations' | 'history', of: number): readonly Numbered[] =>
    window.blocks.flatMap(({ kind: own, pass: stamped, from, to }) => (own === kind && stamped === of && from !== undefined && to !== undefined ? [[from, to] as const] : []))
      .flatMap(([from, to]) => window.observations.filter(({ n }) => n >= from && n <= to));
  return { observations: within('observations', pass), history: within('history', pass - 1) };
};

const MARKS = 400;
const TEXT = 160;

const NOTES: ReadonlySet<string> = new Set(['compaction', 'clear', 'resume', 'fork', 'rewind', 'interrupt', 'refusal', 'api-error', 'gap']);

/** Prompts, edits, errors and the session's turns of fate; of too many, prompts and errors stay longest. */
const marksOf = (observations: readonly Numbered[]): { readonly marks: readonly Mark[]; readonly more: number } => {
  const all = observations.flatMap((each): readonly Mark[] => {
    const kind = kindOf(each);
    return kind === undefined ? [] : [{ at: each.at, n: each.n, kind, text: short(wordsOf(kind, each.text)) }];
  });
  if (all.length <= MARKS) return { marks: all, more: 0 };
  const kept = new Set([...all].sort((a, b) => WEIGHT[a.kind] - WEIGHT[b.kind]).slice(0, MARKS));
  return { marks: all.filter((mark) => kept.has(mark)), more: all.length - kept.size };
};

/** Without its tag; of an edit the line that names the file. */
const wordsOf = (kind: Mark['kind'], text: string): string => (kind === 'edit' ? (text.split('\n', 1)[0] ?? '') : text).replace(/^\[\w+\] /, '');

const WEIGHT: Readonly<Record<Mark['kind'], number>> = { prompt: 0, note: 1, error: 2, edit: 3 };

const kindOf = ({ kind, human, writes, note }: Numbered): Mark['kind'] | undefined => {
  if (kind === 'prompt') return human === true ? 'prompt' : undefined;
  if (kind === 'error') return 'error';
  if (kind === 'note') return note !== undefined && NOTES.has(note) ? 'note' : undefined;
  return writes === true ? 'edit' : undefined;
};

const forkOf = ({ detector, pilot, end, feedback, usage, started_at, first_event_ms, took_ms, cause }: ForkResult, first: number, tokens: number): PassFork => ({
  detector, pilot, end,
  verdict: feedback.verdict,
  from_ms: started_at > 0 ? started_at - first : 0,
  took_ms,
  ...(first_event_ms === undefined ? {} : { first_event_ms }),
  usage, tokens,
  ...(feedback.headline === undefined ? {} : { headline: short(feedback.headline) }),
  ...(feedback.confidence === undefined ? {} : { confidence: feedback.confidence }),
  ...(cause === undefined ? {} : { cause: short(cause) }),
});

const short = (text: string): string => {
  const one = text.slice(0, TEXT * 2).replace(/\s+/g, ' ').trim();
  return one.length <= TEXT ? one.toWellFormed() : `${one.slice(0, TEXT - 1).toWellFormed()}…`;
};
