// Small sessions for the detectors: what a user asks, what an agent says and does, written down as the host writes it.
import { transcript, type Transcript } from '../../bench/judgment/transcript.ts';
import type { Step } from '../../bench/judgment/steps.ts';

/** A step without its place; `story` gives it one. */
export type Part = (key: string, root: string) => Step;

const WAIT = 6;

export const prompt = (text: string, wait = 90): Part => (key) => ({ kind: 'prompt', key, wait, text });
export const say = (text: string): Part => (key) => ({ kind: 'say', key, wait: WAIT, text });
/** The agent's last words of a turn, which then ends. */
export const claim = (text: string): Part => (key) => ({ kind: 'say', key, wait: WAIT, text, claim: true });
export const end = (wait = 1): Part => (key) => ({ kind: 'end', key, wait });

const call = (tool: string, role: 'edit' | 'look' | 'other', input: (root: string) => Readonly<Record<string, unknown>>, { file, output = 'ok', failed = false, wait = WAIT }: { readonly file?: string; readonly output?: string; readonly failed?: boolean; readonly wait?: number }): Part =>
  (key, root) => ({ kind: 'call', key, wait, tool, input: input(root), output, failed, took: 2, role, ...(file === undefined ? {} : { file: `${root}/${file}` }) });

export const run = (command: string, more: { readonly output?: string; readonly failed?: boolean; readonly wait?: number } = {}): Part => call('Bash', 'other', () => ({ command, description: 'Run a command' }), more);
export const fails = (command: string, output: string, wait = WAIT): Part => run(command, { output, failed: true, wait });
export const edit = (file: string, old_string: string, new_string: string, wait = WAIT): Part => call('Edit', 'edit', (root) => ({ file_path: `${root}/${file}`, old_string, new_string }), { file, wait });
export const write = (file: string, content: string, wait = WAIT): Part => call('Write', 'edit', (root) => ({ file_path: `${root}/${file}`, content }), { file, wait });
export const read = (file: string): Part => call('Read', 'look', (root) => ({ file_path: `${root}/${file}` }), { file, output: '1\tsecret of the file' });

/** The parts as one session of `root`, in session time from a fixed morning on. */
export const story = (id: string, root: string, parts: readonly Part[]): Transcript => transcript(id, root, parts.map((part, at) => part(`k${at}`, root)));
