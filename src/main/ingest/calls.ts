// Joins what comes back with the call it answers: a result's record names its call, not the tool (SPEC 5.2).
import { headOf } from '../floor/text.ts';
import type { Observation } from '../records.ts';

type Call = { readonly tool: string; readonly label: string; readonly path?: string };

export type Calls = {
  /** The observation with its call's name in it; undefined for a conclusion already told. */
  readonly join: (observation: Observation) => Observation | undefined;
  /** Whether this agent's conclusion is told for the first time; from then on it counts as told. */
  readonly conclude: (agent: string) => boolean;
};

/** Calls without a result, launches and agents remembered: far more than run at once. */
const KEPT = 2000;
const LABEL_CHARS = 80;

export const createCalls = (): Calls => {
  const open = new Map<string, Call>();
  const launched = new Map<string, string>();
  const concluded = new Set<string>();

  const conclude = (agent: string): boolean => {
    if (concluded.has(agent)) return false;
    concluded.add(agent);
    trim(concluded);
    return true;
  };

  const join = (observation: Observation): Observation | undefined => {
    const { kind, call, tool } = observation;
    if (kind === 'tool' && call !== undefined && tool !== undefined) {
      open.set(call, about(observation, tool));
      trim(open);
      return observation;
    }
    if (kind === 'done' && call !== undefined && observation.launches !== undefined) {
      launched.set(call, observation.launches);
      trim(launched);
    }
    if (kind === 'agent') {
      const agent = observation.settles ?? observation.launches ?? (call === undefined ? undefined : (launched.get(call) ?? call));
      return agent === undefined || conclude(agent) ? observation : undefined;
    }
    const answered = call === undefined ? undefined : open.get(call);
    if (answered === undefined || call === undefined) return observation;
    open.delete(call);
    return named(observation, answered);
  };

  return { join, conclude };
};

const about = ({ text, paths }: Observation, tool: string): Call => {
  const path = paths?.[0];
  return path === undefined ? { tool, label: headOf(lineOf(text), LABEL_CHARS) } : { tool, label: `${tool} ${path}`, path };
};

/** A call's first line, without its tag. */
const lineOf = (text: string): string => (text.split('\n', 1)[0] ?? '').replace(/^\[tool\] /, '');

const named = (observation: Observation, call: Call): Observation => {
  const { paths } = observation;
  const text = textOf(observation, call);
  if (call.path === undefined || paths !== undefined) return { ...observation, tool: call.tool, text };
  return { ...observation, tool: call.tool, text, paths: [call.path] };
};

const textOf = ({ kind, text, anchor, note, launches }: Observation, { tool, label }: Call): string => {
  if (kind === 'done') return `[done] ${label}${anchor === undefined ? '' : ` ${anchor}`}${launches === undefined ? '' : ' (started)'}`;
  if (kind === 'error') return behindTag(text, `${tool}: `);
  return note === 'refusal' ? `${text}: ${label}` : text;
};

/** `[error] x` → `[error] <words>x`. */
const behindTag = (text: string, words: string): string => {
  const end = text.indexOf('] ');
  return end === -1 ? text : `${text.slice(0, end + 2)}${words}${text.slice(end + 2)}`;
};

const trim = (kept: { readonly size: number; keys(): IterableIterator<string>; delete(key: string): boolean }): void => {
  if (kept.size <= KEPT) return;
  const oldest = kept.keys().next();
  if (oldest.done !== true) kept.delete(oldest.value);
};
