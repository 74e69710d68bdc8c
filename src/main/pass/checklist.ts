// Which questions of a checklist arise at all: code tells, so that no model is asked about work that raises none (SPEC 8).
import type { Detector, Numbered } from '../records.ts';
import { parseQuestions, readStream, standing } from './questions.ts';

/** By detector: the ids of its questions that the task has raised so far, and the config they stand in. */
export type Raised = ReadonlyMap<string, { readonly of: Detector['config']; readonly ids: readonly string[] }>;

/**
 * What the enabled detectors' checklists ask about after one more episode. `fresh` ends `all`: only for a checklist that
 * is not known yet, or another one by now, the whole window is read. A question that was raised once stays so.
 */
export const raisedAfter = (before: Raised, detectors: readonly Detector[], all: readonly Numbered[], fresh: readonly Numbered[]): Raised => {
  const asking = detectors.filter(({ enabled, config }) => enabled && Array.isArray(config['questions']));
  return new Map(
    asking.map(({ name, config }) => {
      const known = before.get(name);
      const same = known?.of === config;
      const stream = readStream(same ? fresh : all);
      const ids = parseQuestions(config).filter((question) => standing(question, stream).state !== 'not-asked').map(({ id }) => id);
      return [name, { of: config, ids: [...new Set([...(same ? known.ids : []), ...ids])] }];
    }),
  );
};

/** Detectors whose checklist asks nothing yet. */
export const withoutQuestion = (raised: Raised): readonly string[] => [...raised].flatMap(([name, { ids }]) => (ids.length === 0 ? [name] : []));
