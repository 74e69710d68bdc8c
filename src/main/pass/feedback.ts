// What a fork hands back: the tool it answers through, and the lines the window keeps.
import { wellFormed } from '../floor/text.ts';
import type { ForkResult, ToolDefinition } from '../records.ts';

export const FEEDBACK_NAME = 'second_brain_detector_feedback';

/** Lines for the window, in the detectors' name order whatever order they ended in; `at` is shown in UTC. */
export const feedbackLines = (results: readonly ForkResult[], pass: number, at: number): string[] => {
  const time = new Date(at).toISOString().slice(11, 16);
  return [...results].sort((a, b) => (a.detector < b.detector ? -1 : 1)).map((result) => `[pass ${pass}, ${time}] ${result.detector} → ${saidBy(result)}`);
};

const saidBy = ({ end, feedback }: ForkResult): string => {
  if (end === 'no-match') return 'silent (no match)';
  if (end !== 'feedback') return `silent (${end})`;
  const { verdict, headline, confidence, dedup_key, checked, outcomes } = feedback;
  const notes = [
    ...(confidence === undefined || verdict === 'silent' ? [] : [confidence.toFixed(2)]),
    ...(dedup_key === undefined || verdict === 'silent' ? [] : [`key ${line(dedup_key, 120)}`]),
    ...(checked === undefined ? [] : [`checked: ${line(checked, 160)}`]),
    ...(outcomes ?? []).map(({ advice_id, verdict, evidence }) => `${line(advice_id, 40)} ${verdict} ${evidence.map((cite) => line(cite, 40)).join(' ')}`.trimEnd()),
  ];
  const finding = headline === undefined || verdict === 'silent' ? '' : ` "${line(headline, 160)}"`;
  return `${verdict}${finding}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
};

const line = (text: string, max: number): string => wellFormed(text.replace(/[\s\p{Cc}]+/gu, ' ').trim().slice(0, max)).replaceAll('"', "'");

const text = (description: string) => ({ description, type: 'string' });
const texts = (description: string) => ({ description, items: { type: 'string' }, type: 'array' });

/** The tool every fork ends with. Keys stand in alphabetical order: these bytes lead the cached prefix. */
export const FEEDBACK_TOOL: ToolDefinition = {
  description: 'Ends your look and reports it. Call it exactly once. `silent` is the usual verdict and needs no other field.',
  input_schema: {
    additionalProperties: false,
    properties: {
      body: text('advise: what was observed and why it matters, as observation, not as an order.'),
      checked: text('One line: what you looked at. Worth giving with silent too.'),
      confidence: { description: 'advise: how sure you are, 0 to 1.', maximum: 1, minimum: 0, type: 'number' },
      dedup_key: text('advise, resolved, still_open: a short stable name of the finding, e.g. tests-not-run:services/api.'),
      evidence: texts('advise: citations that occur in the observations or in what your tools returned: #12, a path, path:line, a commit, a command, or words quoted exactly.'),
      finish_gate: { description: 'advise: cited work is unfinished and worth going on for after the agent has stopped.', type: 'boolean' },
      headline: text('advise: the finding in one sentence.'),
      new_goal: text('Only when the session has plainly turned to another task: its goal in one line.'),
      outcomes: {
        description: 'Verdicts on your own earlier advisories listed below your instructions.',
        items: {
          additionalProperties: false,
          properties: {
            advice_id: text('Its id.'),
            evidence: texts('The later observations that show it, as #n.'),
            reason: text('One line.'),
            verdict: { enum: ['adopted', 'already_handled', 'contradicted', 'no_evidence', 'partially_adopted', 'rejected'], type: 'string' },
          },
          required: ['advice_id', 'verdict', 'evidence'],
          type: 'object',
        },
        type: 'array',
      },
      stale_if: texts('advise: literal texts (with * as wildcard) which, once observed later, show that it was handled.'),
      verdict: { enum: ['advise', 'resolved', 'silent', 'still_open'], type: 'string' },
    },
    required: ['verdict'],
    type: 'object',
  },
  name: FEEDBACK_NAME,
};
