// What --install and --uninstall make of the text of the user's settings, or why they leave it alone. Pure.
import { find, removeProperty, scan, setProperty, splice, valueOf } from './settings-text.ts';

export type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly because: 'there' | 'not-there' | 'unreadable' | 'not-a-command'; readonly why?: string };

/** The shell command of the status line: without our launcher it is what the user had before. */
export const statuslineCommand = (launcher: string, wrapped: string | undefined): string => {
  const program = quoted(launcher);
  if (wrapped === undefined) return `[ -x ${program} ] || exit 0; exec ${program} statusline`;
  return `[ -x ${program} ] || exec /bin/sh -c ${quoted(wrapped)}; exec ${program} statusline --wrap ${quoted(wrapped)}`;
};

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const OURS = /\/bin\/second-brain' statusline(?: --wrap ('[^]*'))?$/;

/** The user's own command inside ours; `ours` says whether it is ours at all. */
const unwrapped = (command: string): { readonly ours: boolean; readonly wrapped?: string } => {
  const match = OURS.exec(command);
  if (match === null) return { ours: false };
  const inner = match[1];
  return inner === undefined ? { ours: true } : { ours: true, wrapped: inner.slice(1, -1).replaceAll(`'\\''`, "'") };
};

/** Seconds between two runs while nothing happens (contract g). */
const REFRESH_S = 2;

/** The settings with our status line, around the one that is there. An absent file is an empty text. */
export const installIn = (text: string, launcher: string): Edited =>
  readable(() => {
    const base = text.replace(/^\uFEFF/, '').trim() === '' ? `${text.trim()}{}\n` : text;
    const root = scan(base);
    if (root.members === undefined) return { ok: false, because: 'unreadable', why: 'not an object' };
    const there = find(root, ['statusLine']);
    if (there === undefined) return { ok: true, text: setProperty(base, [], 'statusLine', { type: 'command', command: statuslineCommand(launcher, undefined), refreshInterval: REFRESH_S }) };
    const own = commandIn(base, there);
    if (own === undefined) return { ok: false, because: 'not-a-command' };
    const { ours, wrapped } = unwrapped(own.command);
    const command = statuslineCommand(launcher, ours ? wrapped : own.command);
    if (own.command === command) return { ok: false, because: 'there' };
    const changed = setProperty(base, ['statusLine'], 'command', command);
    return { ok: true, text: own.refresh !== undefined && own.refresh <= REFRESH_S ? changed : setProperty(changed, ['statusLine'], 'refreshInterval', REFRESH_S) };
  });

/** The settings as they were. `backup` is the text before the install: byte for byte where nothing else has changed since. */
export const uninstallFrom = (text: string, backup: string | undefined): Edited =>
  readable(() => {
    const there = find(scan(text), ['statusLine']);
    const own = there === undefined ? undefined : commandIn(text, there);
    if (there === undefined || own === undefined) return { ok: false, because: 'not-there' };
    const { ours, wrapped } = unwrapped(own.command);
    if (!ours) return { ok: false, because: 'not-there' };
    const before = backup === undefined ? undefined : original(backup, own.command, text);
    if (before !== undefined) return { ok: true, text: before.whole ? before.text : splice(text, there.start, there.end, before.text) };
    if (wrapped === undefined) return { ok: true, text: removeProperty(text, 'statusLine') };
    return { ok: true, text: setProperty(text, ['statusLine'], 'command', wrapped) };
  });

/** The backup itself when our change of it is what we see; else its status line alone, when ours wraps that one. */
const original = (backup: string, command: string, text: string): { readonly whole: boolean; readonly text: string } | undefined => {
  const launcher = /exec '((?:[^']|'\\'')*)' statusline/.exec(command)?.[1]?.replaceAll(`'\\''`, "'");
  const installed = launcher === undefined ? undefined : installIn(backup, launcher);
  if (installed?.ok === true && installed.text === text) return { whole: true, text: backup };
  if (backup.trim() === '') return undefined;
  const there = find(scan(backup), ['statusLine']);
  const { wrapped } = unwrapped(command);
  if (there === undefined || commandIn(backup, there)?.command !== wrapped) return undefined;
  return { whole: false, text: backup.slice(there.start, there.end) };
};

type Own = { readonly command: string; readonly refresh: number | undefined };

const commandIn = (text: string, node: ReturnType<typeof scan>): Own | undefined => {
  if (node.members === undefined) return undefined;
  const raw = valueOf(text, node) as Readonly<Record<string, unknown>>;
  const { type, command, refreshInterval } = raw;
  if ((type !== undefined && type !== 'command') || typeof command !== 'string') return undefined;
  return { command, refresh: typeof refreshInterval === 'number' ? refreshInterval : undefined };
};

const readable = (act: () => Edited): Edited => {
  try {
    return act();
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, because: 'unreadable', why: error.message };
    throw error;
  }
};
