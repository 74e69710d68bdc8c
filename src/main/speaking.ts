// One pass, second half: what its forks brought is accounted, closes old advice, passes the gate, and becomes mail.
import type { Knobs } from './floor/knobs.ts';
import { addUsage } from './floor/usage.ts';
import { closeAdvice, suppress } from './memory/ledger.ts';
import { writeLedger } from './memory/ledger-file.ts';
import { isCurrent } from './memory/task.ts';
import { findObservation, renderObservations } from './memory/window.ts';
import { feedbackLines } from './pass/feedback.ts';
import { afterFork } from './pass/stragglers.ts';
import { repeatOutcomes } from './pass/structure.ts';
import { agentText, keyOf, makeAdvice, makeReport, TURN_REPORT, userText } from './speak/advice.ts';
import { checkEvidence } from './speak/evidence.ts';
import { agentFloor } from './speak/floors.ts';
import { admit, judge as gate, resolvedMail } from './speak/gate.ts';
import { appendHistory } from './speak/history-file.ts';
import { bounded, factsOf, withLine } from './speak/history.ts';
import { putMail, withdrawMail } from './speak/mailbox-file.ts';
import { appendPass } from './speak/passes-file.ts';
import { calibrated, closedByFork, closedByResolved, FRESH, lapsed, openRecords, orphaned, suppressions, uptake, type Closing } from './speak/outcome.ts';
import { turnReport } from './speak/turn-report.ts';
import { costOf, outputRatio, push, release } from './judging.ts';
import { passLine } from './pass-line.ts';
import { weigh } from './pass/budget.ts';
import type { Advice, Because, ForkResult, GateDecision } from './records.ts';
import type { DetectorTally, HistoryLine } from './surfaces.ts';
import type { Pass, Watching } from './watching.ts';

/** Ends a pass at `now`: accounts it always, speaks only when the session has not moved on meanwhile. */
export const finishPass = (w: Watching, pass: Pass, results: readonly ForkResult[], now: number): void => {
  const knobs = w.setup.knobs();
  account(w, pass, results, now, knobs);
  appendPass(w.setup.paths.passes(w.setup.session), passLine(w, pass, results, now));
  for (const result of results) w.setup.told?.({ kind: 'fork', at: now, pass: pass.stamp.pass, result });
  const because = w.voided === pass.stamp.pass ? 'rewound' : isCurrent(pass.stamp, { session: w.setup.session, task: w.ledger.task, generation: w.window.generation }) ? undefined : 'moved-on';
  if (because !== undefined) {
    for (const result of results) if (result.feedback.verdict === 'advise') unsaid(w, pass, result, because, now, knobs);
    return;
  }
  const closings = close(w, results, now, knobs);
  const decisions = results.flatMap((result) => speak(w, pass, result, now, knobs));
  report(w, pass, results, decisions, now, knobs);
  const lines = [...feedbackLines(results, pass.stamp.pass, now), ...closings.map(({ id, kind, verdict, reason }) => `[pass ${pass.stamp.pass}] ${kind} ${id}: ${verdict}${reason === undefined ? '' : ` (${reason})`}`)];
  if (lines.length > 0) push(w, { kind: 'feedback', pass: pass.stamp.pass, at: now, text: lines.join('\n') });
  w.last_pass = { at: now, pass: pass.stamp.pass, because: pass.because, lines, took_ms: Math.max(0, ...results.map(({ took_ms }) => took_ms)) };
  w.ledger = { ...w.ledger, touched_at: now, ...(w.position === undefined ? {} : { position: w.position }) };
  writeLedger(w.setup.paths, w.ledger);
};

/** A pass whose session was left meanwhile: what it spent is put right, nothing of it is said. */
export const abandonPass = (w: Watching, pass: Pass, results: readonly ForkResult[], now: number): void => account(w, pass, results, now, w.setup.knobs());

/** A line of history: on disk, in the rows the gate asks, and to whoever listens. */
export const record = (w: Watching, line: HistoryLine): void => {
  appendHistory(w.setup.paths.history(w.setup.session), line);
  ({ rows: w.rows, past: w.past } = bounded(withLine(w.rows, line), w.past));
  w.setup.told?.({ kind: 'history', line });
};

/** Takes an undelivered advisory back; false when a hook was quicker, which keeps it: what was said was said. */
export const withdraw = (w: Watching, advice: Advice, because: Because, now: number, event: 'withdrawn' | 'expired' = 'withdrawn'): boolean => {
  if (!withdrawMail(w.setup.paths.mailbox(w.setup.session), advice.id)) return false;
  // A kill between mail and history leaves mail that no line carries.
  record(w, { v: 1, at: now, id: advice.id, event, because, ...(w.rows.has(advice.id) ? {} : { advice }) });
  return true;
};

const account = (w: Watching, pass: Pass, results: readonly ForkResult[], now: number, knobs: Knobs): void => {
  const { tokens, usd } = costOf(pass.judge, results);
  if (pass.reservation !== undefined) release(w, pass.stamp.task, pass.reservation, Math.max(tokens, Math.min(pass.reservation.tokens, tokens + unseenIn(pass, results))), now, usd);
  const read = Math.max(0, ...results.map(({ usage }) => usage.cache_read + usage.cache_write_5m + usage.cache_write_1h));
  if (read > 0) w.warm = { at: now, tokens: read };
  if (usd !== undefined) w.usd = (w.usd ?? 0) + usd;
  for (const result of results) {
    const { detector, end, usage, took_ms } = result;
    w.observer = addUsage(w.observer, usage);
    const ladder = afterFork(detector, w.ledger.stragglers[detector], end, now, knobs.loop);
    w.ledger = { ...w.ledger, stragglers: { ...w.ledger.stragglers, [detector]: ladder.straggler } };
    if (ladder.changed !== undefined) {
      w.setup.log(ladder.changed);
      w.notices = [...w.notices, ladder.changed].slice(-20);
    }
    const known = w.expected_ms[detector];
    w.expected_ms = { ...w.expected_ms, [detector]: known === undefined ? took_ms : known * 0.7 + took_ms * 0.3 };
    const row = w.detectors[detector] ?? NO_TALLY;
    w.detectors[detector] = {
      ...row,
      runs: row.runs + 1,
      silent: row.silent + (result.feedback.verdict === 'silent' ? 1 : 0),
      advised: row.advised + (result.feedback.verdict === 'advise' ? 1 : 0),
      timeouts: row.timeouts + (end === 'deadline' ? 1 : 0),
      failed: row.failed + (end === 'provider-error' || end === 'crashed' || end === 'bad-reply' ? 1 : 0),
      cache_read: row.cache_read + usage.cache_read,
      cache_write: row.cache_write + usage.cache_write_5m + usage.cache_write_1h,
      input: row.input + usage.input,
      output: row.output + usage.output,
      took_ms: row.took_ms + took_ms,
      last: `${result.feedback.verdict}${result.cause === undefined ? '' : ` (${end}: ${result.cause})`}`,
    };
    if (result.cause !== undefined) w.setup.log(`${detector} in pass ${pass.stamp.pass}: ${end}: ${result.cause}; ${weigh(usage, outputRatio(pass.judge))} tokens`);
  }
};

/** What nobody could count: threads that keep dying must not spend unseen (HAZARDS D2). */
const unseenIn = ({ runs, unseen = [] }: Pass, results: readonly ForkResult[]): number =>
  results.reduce((sum, { detector, usage, usage_unknown }) => {
    if (usage_unknown !== true) return sum;
    const { first, later } = unseen[runs.findIndex((run) => run.detector.name === detector)] ?? { first: Infinity, later: Infinity };
    return sum + (weigh(usage) === 0 ? first : later);
  }, 0);

export const NO_TALLY: DetectorTally = {
  runs: 0, silent: 0, advised: 0, delivered: 0, timeouts: 0, failed: 0, cache_read: 0, cache_write: 0, input: 0, output: 0, took_ms: 0, closed: 0,
};

/** Outcomes first: what was learnt binds what is said now (SPEC 11). */
const close = (w: Watching, results: readonly ForkResult[], now: number, knobs: Knobs): readonly Closing[] => {
  // Advice of a task that was left can only lapse; what that says of a detector is the old task's business.
  const left = [...new Set([...w.rows.values()].map(({ advice }) => advice.task_id))].filter((task) => task !== w.ledger.task).flatMap((task) => openRecords(w.rows, task));
  for (const { id, verdict, evidence } of lapsed(left, now, 0, knobs.adjudication)) record(w, { v: 1, at: now, id, event: 'outcome', verdict, evidence });
  const open = openRecords(w.rows, w.ledger.task);
  if (open.length === 0) return [];
  const observation = (n: number) => findObservation(w.window, n);
  const closings = new Map<string, Closing>();
  const add = (found: readonly Closing[]): void => {
    for (const closing of found) if (!closings.has(closing.id)) closings.set(closing.id, closing);
  };
  // Its fork runs only on a new match: code sees the command go through.
  add(closedByFork(open, 'repeat-failure', repeatOutcomes(w.window.observations, open), observation));
  for (const { detector, feedback } of results) {
    add(closedByFork(open, detector, feedback.outcomes ?? [], observation));
    add(closedByResolved(open, detector, feedback, feedback.dedup_key === undefined ? undefined : keyOf(feedback.dedup_key), observation));
  }
  add(lapsed(open, now, w.window.next_n - 1, knobs.adjudication));
  add(orphaned(open, w.setup.catalogue().filter(({ enabled }) => enabled).map(({ name }) => name)));
  for (const closing of closings.values()) settleOutcome(w, closing, now, knobs);
  for (const { key, because } of suppressions([...closings.values()])) w.ledger = suppress(w.ledger, key, because, now);
  return [...closings.values()];
};

const settleOutcome = (w: Watching, { id, kind, verdict, evidence, reason }: Closing, now: number, knobs: Knobs): void => {
  record(w, { v: 1, at: now, id, event: 'outcome', verdict, evidence });
  const calibration = calibrated(w.ledger.calibration[kind] ?? FRESH, verdict, knobs.calibration);
  w.ledger = { ...closeAdvice(w.ledger, id, verdict, reason, now), calibration: { ...w.ledger.calibration, [kind]: calibration } };
  const row = w.detectors[kind];
  const share = uptake(calibration.recent);
  if (row !== undefined) w.detectors[kind] = { ...row, closed: calibration.closed, ...(share === undefined ? {} : { uptake: share }) };
};

/** One detector's answer through the gate; what passes is in the mailbox when this returns. */
const speak = (w: Watching, pass: Pass, result: ForkResult, now: number, knobs: Knobs): readonly GateDecision[] => {
  const { paths, session } = w.setup;
  const facts = factsOf(w.rows, w.ledger.task, w.ledger.advice);
  for (const { advice, because } of resolvedMail(facts.waiting, result.detector, result.feedback)) withdraw(w, advice, because, now);
  if (result.feedback.verdict !== 'advise') return [];
  const advice = adviceOf(w, pass, result, now, knobs);
  record(w, { v: 1, at: now, id: advice.id, event: 'generated', advice });
  const detector = pass.runs.find((run) => run.detector.name === result.detector)?.detector;
  const calibration = w.ledger.calibration[result.detector];
  const floor = agentFloor(detector ?? { name: result.detector }, calibration, { gate: knobs.gate, calibration: knobs.calibration });
  const waiting = factsOf(w.rows, w.ledger.task, w.ledger.advice).waiting;
  const later = [...w.window.observations.filter(({ n }) => n > advice.after), ...w.queue.waiting.map(({ observation }) => observation)];
  const decision = gate(
    advice,
    { muted: knobs.mute.all || calibration?.muted === true, suppressed: w.ledger.suppressed.map(({ key }) => key), said: facts.said, spoken: facts.spoken, waiting, later, floor },
    now,
    knobs.gate,
  );
  if (!decision.speak) {
    record(w, { v: 1, at: now, id: advice.id, event: 'gated', because: decision.because });
    return [decision];
  }
  if (decision.because !== undefined) record(w, { v: 1, at: now, id: advice.id, event: 'gated', because: decision.because });
  const mail: Advice = { ...decision.advice, enqueued_at: now };
  for (const out of admit(waiting, mail, knobs.gate).out) {
    if (out.advice.id === mail.id) {
      record(w, { v: 1, at: now, id: mail.id, event: 'gated', because: out.because });
      return [{ speak: false, advice: mail, because: out.because }];
    }
    if (withdraw(w, out.advice, out.because, now) || out.advice.dedup_key !== mail.dedup_key) continue;
    // A hook has just claimed the same finding.
    record(w, { v: 1, at: now, id: mail.id, event: 'gated', because: 'duplicate' });
    return [{ speak: false, advice: mail, because: 'duplicate' }];
  }
  putMail(paths.mailbox(session), mail, saidOf(mail));
  record(w, { v: 1, at: now, id: mail.id, event: 'enqueued', advice: mail });
  return [{ ...decision, advice: mail }];
};

/** Both copies are rendered once, so that a hook only prints. */
const saidOf = (advice: Advice) => ({ agent: agentText(advice), user: userText(advice) });

const adviceOf = (w: Watching, pass: Pass, result: ForkResult, now: number, knobs: Knobs): Advice => {
  const match = pass.runs.find((run) => run.detector.name === result.detector)?.match;
  // Observations only: what a detector once made up, in feedback or as a goal, must not prove itself.
  const evidence = checkEvidence([...(result.feedback.evidence ?? []), ...(match?.evidence ?? [])], {
    observation: (n) => findObservation(w.window, n),
    window_text: renderObservations(w.window.observations),
    tool_text: [result.tool_text, match?.body ?? ''].join('\n'),
  });
  return makeAdvice(result.feedback, {
    entropy: w.setup.entropy(), task_id: pass.stamp.task, session_id: pass.stamp.session, workspace: w.setup.workspace, host_pid: w.setup.host_pid, detector: result.detector,
    evidence, now, after: pass.after, limits: knobs.gate, ...(match === undefined ? {} : { match }),
  });
};

const unsaid = (w: Watching, pass: Pass, result: ForkResult, because: 'moved-on' | 'rewound', now: number, knobs: Knobs): void => {
  const advice = { ...adviceOf(w, pass, result, now, knobs), evidence: [] };
  record(w, { v: 1, at: now, id: advice.id, event: 'generated', advice });
  record(w, { v: 1, at: now, id: advice.id, event: 'gated', because });
};

/** The user's copy of a turn-end pass: a line for the status line at once, mail only when there is something to tell. */
const report = (w: Watching, pass: Pass, results: readonly ForkResult[], decisions: readonly GateDecision[], now: number, knobs: Knobs): void => {
  if (pass.because !== 'turn-end') return;
  const { line, text } = turnReport(results, decisions);
  w.last_turn = line.replace(/^last turn: /, '');
  if (!knobs.loop.turn_end_report || text === undefined) return;
  // What is told in full anyway needs no second message.
  const answers = results.filter(({ feedback }) => feedback.verdict !== 'silent').length;
  if (answers === decisions.filter(({ speak: spoken }) => spoken).length) return;
  const mail: Advice = {
    ...makeReport(text, { entropy: w.setup.entropy(), task_id: w.ledger.task, session_id: w.setup.session, workspace: w.setup.workspace, host_pid: w.setup.host_pid, now, after: pass.after, limits: knobs.gate }),
    enqueued_at: now,
  };
  const box = w.setup.paths.mailbox(w.setup.session);
  for (const { advice, state } of w.rows.values()) if (advice.kind === TURN_REPORT && state === 'waiting') withdraw(w, advice, 'superseded', now);
  putMail(box, mail, saidOf(mail));
  record(w, { v: 1, at: now, id: mail.id, event: 'enqueued', advice: mail });
};
