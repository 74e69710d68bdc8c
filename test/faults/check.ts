// Judges a world by what it left: transcripts, the host's journal, the model's log and the plugin's files. It knows the
// files' formats and nothing of how they come about.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalLine } from './orders.ts';

export type Rule =
  | 'lost' | 'doubled' | 'order' | 'leaked' // observations
  | 'told-twice' | 'expired' | 'stale' | 'foreign' | 'unaccounted' | 'unsaid' // advice
  | 'over-budget' | 'uncounted' // money
  | 'lock' | 'orphan' | 'unreadable' | 'hook' | 'fault-logged';

export type Finding = { readonly rule: Rule; readonly what: string };

type Fields = Readonly<Record<string, unknown>>;

/** `closed`: no process of the world may be left. `waiting`: something may not have been looked at yet. */
export type CheckOptions = { readonly closed?: boolean; readonly waiting?: boolean };

/** All findings; none in a sound world. */
export const check = (root: string, { closed = false, waiting = false }: CheckOptions = {}): readonly Finding[] => [
  ...observations(root).filter(({ rule }) => rule !== 'lost' || !waiting),
  ...advice(root),
  ...money(root),
  ...files(join(root, 'data')),
  ...hooks(root),
  ...faults(join(root, 'data')),
  ...(closed ? [...locks(join(root, 'data')), ...orphans(root)] : []),
];

const TOKEN = /\bobs-[0-9a-z]{4,}\b/g;
const tokensIn = (text: string): readonly string[] => text.match(TOKEN) ?? [];

/** Words of the session that the plugin has to see, in the order of their records; every one stands once. */
export const observed = (root: string): readonly string[] => transcriptsOf(root).flatMap(({ records }) => records.flatMap(({ seen }) => seen));

type Row = { readonly at: number; readonly seen: readonly string[]; readonly told: readonly string[]; readonly text: string };

const transcriptsOf = (root: string): readonly { readonly session: string; readonly records: readonly Row[] }[] => {
  const folder = join(root, 'home', '.claude', 'projects', 'project');
  return names(folder).filter((name) => name.endsWith('.jsonl')).map((name) => ({
    session: name.slice(0, -'.jsonl'.length),
    records: linesOf(join(folder, name)).good.map(recordOf),
  }));
};

const recordOf = (line: Fields): Row => {
  const { type, attachment, timestamp } = line;
  const message = fields(line['message']);
  const at = Date.parse(String(timestamp));
  const told = type === 'attachment' && fields(attachment)['type'] === 'hook_additional_context' ? idsIn(JSON.stringify(attachment)) : [];
  if (type !== 'user' && type !== 'assistant') return { at, seen: [], told, text: '' };
  const parts = Array.isArray(message['content']) ? (message['content'] as readonly Fields[]) : [{ type: 'text', text: message['content'] } as Fields];
  // A result that is no failure is none of the plugin's business.
  const text = parts.filter((part) => part['type'] !== 'tool_result' || part['is_error'] === true).map((part) => JSON.stringify(part)).join('\n');
  return { at, seen: fields(line['origin'])['kind'] === 'task-notification' ? [] : tokensIn(text), told, text };
};

/** The words in each window's log, in order, of observations and history alone. */
export const windows = (data: string): readonly { readonly name: string; readonly tokens: readonly string[] }[] =>
  names(join(data, 'tasks')).filter((name) => /\.window\.\d+\.jsonl$/.test(name)).map((name) => ({
    name,
    tokens: linesOf(join(data, 'tasks', name)).good.map(({ block }) => fields(block)).filter(({ kind }) => kind === 'observations' || kind === 'history').flatMap(({ text }) => tokensIn(String(text))),
  }));

const observations = (root: string): readonly Finding[] => {
  const words = observed(root);
  const logs = windows(join(root, 'data'));
  const count = new Map<string, number>();
  for (const token of logs.flatMap(({ tokens }) => tokens)) count.set(token, (count.get(token) ?? 0) + 1);
  // What a compaction has distilled stands in no window any more.
  const compacted = logs.some(({ name }) => !name.includes('.window.0.'));
  const rank = new Map(words.map((word, at) => [word, at]));
  // A final answer of which the host's death left no record was told by its Stop hook.
  const said = new Set(journalOf(root).flatMap((line) => (line.kind === 'asked' && line.event === 'Stop' ? tokensIn(line.input) : [])));
  return [
    ...(compacted ? [] : words.filter((word) => !count.has(word)).map((word) => finding('lost', word))),
    ...[...count].filter(([, times]) => times > 1).map(([word, times]) => finding('doubled', `${word} stands ${times} times`)),
    ...[...count.keys()].filter((word) => !rank.has(word) && !said.has(word)).map((word) => finding('leaked', `${word} is none of the plugin's business`)),
    ...logs.flatMap(({ name, tokens }) => {
      const known = tokens.filter((token) => rank.has(token));
      return known.filter((token, at) => (rank.get(token) ?? 0) < (rank.get(known[at - 1] ?? '') ?? 0)).map((token) => finding('order', `${token} in ${name}`));
    }),
  ];
};

export const idsIn = (text: string): readonly string[] => [...new Set([...text.matchAll(/\[Second Brain (sb-[0-9a-z]{8})\]/g)].map((match) => match[1] ?? ''))];

type Told = { readonly id: string; readonly at: number; readonly host: number; readonly session: string; readonly input: string };

const advice = (root: string): readonly Finding[] => {
  const data = join(root, 'data');
  const journal = journalOf(root);
  const told: readonly Told[] = journal.flatMap((line) => (line.kind === 'hook' && !line.killed ? idsIn(line.stdout).map((id) => ({ id, at: line.at, host: line.host, session: line.session, input: line.input })) : []));
  const history = names(join(data, 'sessions')).flatMap((session) => linesOf(join(data, 'sessions', session, 'history.jsonl')).good);
  const known = new Map<string, Fields>();
  for (const line of history) if (line['advice'] !== undefined) known.set(String(line['id']), fields(line['advice']));
  const events = (id: string, ...kinds: readonly string[]): number => history.filter((line) => line['id'] === id && kinds.includes(String(line['event']))).length;
  const sessions = transcriptsOf(root);
  const arrived = sessions.flatMap(({ records }) => records.flatMap((record) => record.told));
  const findings: Finding[] = [];
  for (const [id, times] of counted(arrived)) if (times > 1) findings.push(finding('told-twice', `${id} reached the agent ${times} times`));
  for (const [id, times] of counted(told.map(({ id }) => id))) {
    // Once more only after a loss that was noticed.
    if (times > 1 + events(id, 'returned')) findings.push(finding('told-twice', `${id} was printed ${times} times`));
    if (journal.some(({ kind }) => kind === 'monitor') && events(id, 'enqueued', 'claimed', 'confirmed', 'lost', 'expired') === 0) findings.push(finding('unaccounted', `${id} was printed and stands in no history`));
  }
  findings.push(...unsaid(root, journal, told.map(({ id }) => id)));
  const keys = new Map<string, string>();
  for (const id of new Set(arrived)) {
    const { dedup_key, task_id, kind } = known.get(id) ?? {};
    if (dedup_key === undefined || kind === 'turn-report') continue;
    const key = `${String(task_id)}/${String(dedup_key)}`;
    const first = keys.get(key);
    if (first !== undefined) findings.push(finding('told-twice', `${id} says what ${first} had said (${key})`));
    keys.set(key, id);
  }
  for (const one of told) findings.push(...outOfTime(one, known.get(one.id), data, sessions.find(({ session }) => session === one.session)?.records ?? [], journal));
  return findings;
};

/** Mail that was put by hand, as mail.jsonl lists it, and neither waits nor was printed, though no hook was killed. */
const unsaid = (root: string, journal: readonly JournalLine[], printed: readonly string[]): readonly Finding[] => {
  if (journal.some((line) => line.kind === 'hook' && line.killed)) return [];
  const there = new Set([...printed, ...walk(join(root, 'data', 'sessions')).filter((path) => path.includes('/mailbox/new/')).map((path) => path.slice(path.lastIndexOf('/') + 1))]);
  return linesOf(join(root, 'mail.jsonl')).good.flatMap(({ id }) => (there.has(String(id)) ? [] : [finding('unsaid', `${String(id)} was taken by nobody who said it`)]));
};

/** How long a living monitor may take to see that a record answers an advisory. */
const NOTICE_MS = 4000;

/** Whether an advisory was told too late, or by another host's hook. */
const outOfTime = ({ id, at, host, input }: Told, item: Fields | undefined, data: string, records: readonly Row[], journal: readonly JournalLine[]): readonly Finding[] => {
  if (item === undefined) return [];
  const { generated_at, enqueued_at, ttl, host_pid, stale_if } = item as { readonly generated_at: number; readonly enqueued_at?: number; readonly ttl: number; readonly host_pid: number; readonly stale_if: readonly string[] };
  const queue_s = Number(fields(json(join(data, 'config.json'))['gate'])['queue_timeout_s'] ?? 600);
  const out: Finding[] = [];
  if (at >= generated_at + ttl * 1000) out.push(finding('expired', `${id} was told ${at - generated_at} ms after it was made`));
  if (at >= (enqueued_at ?? generated_at) + queue_s * 1000) out.push(finding('expired', `${id} had waited ${at - (enqueued_at ?? generated_at)} ms`));
  if (host_pid !== host) out.push(finding('foreign', `${id} of ${host_pid} was told by ${host}`));
  const seen = records.filter((record) => record.at > generated_at && record.at + NOTICE_MS < at && watched(journal, record.at, record.at + NOTICE_MS)).map(({ text }) => text);
  for (const pattern of stale_if) if ([input, ...seen].some((text) => text.includes(pattern))) out.push(finding('stale', `${id} was told though ${pattern} had been done`));
  return out;
};

/** Whether one monitor lived from `from` to `to`. */
const watched = (journal: readonly JournalLine[], from: number, to: number): boolean =>
  journal.some((line) => line.kind === 'monitor' && line.at < from - NOTICE_MS && !journal.some((end) => end.kind === 'gone' && (end.pid === line.pid || end.what === 'host') && end.at >= line.at && end.at <= to));

// What a token costs beside a fresh one; the model that is asked is priced so.
const OUTPUT = 5;

/** Nothing beyond the ceiling in any hour, and nothing the provider took that the budget's files do not know. It takes nothing before it answers. */
const money = (root: string): readonly Finding[] => {
  const requests = linesOf(join(root, 'model.jsonl')).good.filter(({ first_event_at }) => first_event_at !== undefined).map((line) => {
    const charge = fields(line['charge']) as { readonly input: number; readonly read: number; readonly write_5m: number; readonly write_1h: number };
    // A stream that broke has told its first event's output at most.
    const output = line['fault'] === undefined ? Number(line['tokens']) : 0;
    return { at: Number(line['at']), cost: charge.input + charge.read * 0.1 + charge.write_5m * 1.25 + charge.write_1h * 2 + output * OUTPUT };
  });
  const folder = join(root, 'data', 'budget');
  const lines = names(folder).flatMap((name) => linesOf(join(folder, name)).good);
  const settled = new Map(lines.filter(({ kind }) => kind === 'settle').map(({ id, tokens }) => [id, Number(tokens)]));
  const reserved = lines.filter(({ kind }) => kind === 'reserve').map(({ id, at, tokens }) => ({ at: Number(at), tokens: settled.get(id) ?? Number(tokens) }));
  const { tokens_per_hour = 600_000, machine_tokens_per_hour = 0 } = fields(json(join(root, 'data', 'config.json'))['budget']) as { readonly tokens_per_hour?: number; readonly machine_tokens_per_hour?: number };
  const sessions = new Set(lines.flatMap(({ session }) => (session === undefined ? [] : [session])));
  const ceiling = Math.min(tokens_per_hour * Math.max(1, sessions.size), machine_tokens_per_hour || Infinity);
  const [spent, known] = [sum(requests.map(({ cost }) => cost)), sum(reserved.map(({ tokens }) => tokens))];
  const hours = requests.map(({ at: start }) => sum(requests.filter(({ at }) => at >= start && at < start + 3_600_000).map(({ cost }) => cost)));
  return [
    ...(Math.max(0, ...hours) > ceiling ? [finding('over-budget', `${Math.round(Math.max(...hours))} tokens in an hour that may spend ${ceiling}`)] : []),
    // Each request may be rounded up by one.
    ...(spent > known + requests.length ? [finding('uncounted', `the provider took ${Math.round(spent)} tokens, the files count ${known}`)] : []),
  ];
};

/** Every file of the plugin's parses, line by line where it is made of lines; what was set aside counts as unreadable. */
const files = (folder: string): readonly Finding[] =>
  walk(folder).flatMap((path) => {
    const name = path.slice(folder.length + 1);
    if (name.startsWith('run/') || name.startsWith('debug/') || name.startsWith('log/')) return [];
    if (/\.bad$|\/bad\//.test(name)) return [finding('unreadable', `${name} was set aside`)];
    if (name.endsWith('.jsonl')) {
      const { bad } = linesOf(path);
      return name.startsWith('hosts/') && bad.length <= skippedSignals(folder) ? [] : bad.map((line) => finding('unreadable', `${name}: ${line.slice(0, 80)}`));
    }
    // Half-written by a process that was killed: never renamed into place, so nobody reads it.
    if (!name.endsWith('.json') || name.endsWith('.tmp')) return [];
    try {
      JSON.parse(readFileSync(path, 'utf8'));
      return [];
    } catch {
      return [finding('unreadable', name)];
    }
  });

/** Lines of spools that the monitor's log has counted as no signals. */
const skippedSignals = (data: string): number => sum([...slurp(join(data, 'log', 'second-brain.log')).matchAll(/(\d+) lines of the spool are no signals/g)].map(([, count]) => Number(count)));

const hooks = (root: string): readonly Finding[] =>
  journalOf(root).flatMap((line) => {
    if (line.kind !== 'hook' || line.killed) return [];
    const noise = line.stdout === '' || isDocument(line.stdout) ? [] : [finding('hook', `${line.event} printed ${line.stdout.slice(0, 80)}`)];
    return line.code === 0 ? noise : [...noise, finding('hook', `${line.event} exited ${line.code}`)];
  });

/** Lines of the log that tell of a fault nobody expected. */
const faults = (data: string): readonly Finding[] =>
  names(join(data, 'log')).flatMap((name) => readFileSync(join(data, 'log', name), 'utf8').split('\n')).filter((line) => /uncaught|unhandled|a cycle failed|a pass failed|a signal \(\w+\) failed|could not start|leaving .* failed/.test(line)).map((line) => finding('fault-logged', line.slice(0, 300)));

/** Locks whose holder still lives though the world is closed. A dead holder's lock is anybody's. */
const locks = (data: string): readonly Finding[] =>
  walk(data).filter((path) => /\/(lock|lease)$/.test(path)).flatMap((path) => {
    const { pid, start } = json(path);
    return typeof pid === 'number' && startOf(pid) === start ? [finding('lock', `${path.slice(data.length + 1)} is held by ${pid}`)] : [];
  });

/** Processes that belong to the world, by their command line, working directory or home. */
const orphans = (root: string): readonly Finding[] =>
  names('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid).flatMap((pid) => {
    const command = slurp(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    const ours = command.includes(root) || slurp(`/proc/${pid}/environ`).split('\0').includes(`HOME=${join(root, 'home')}`) || linkOf(`/proc/${pid}/cwd`).startsWith(root);
    return ours && stateOf(Number(pid)) !== 'Z' ? [finding('orphan', `${pid} ${command.slice(0, 200)}`)] : [];
  });

const statOf = (pid: number): readonly string[] => {
  const text = slurp(`/proc/${pid}/stat`);
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ');
};
const stateOf = (pid: number): string => statOf(pid)[0] ?? 'Z';
const startOf = (pid: number): string | undefined => (stateOf(pid) === 'Z' ? undefined : statOf(pid)[19]);

const finding = (rule: Rule, what: string): Finding => ({ rule, what });
export const journalOf = (root: string): readonly JournalLine[] => linesOf(join(root, 'journal.jsonl')).good as readonly unknown[] as readonly JournalLine[];

const attempt = <T>(act: () => T, otherwise: T): T => {
  try {
    return act();
  } catch {
    return otherwise;
  }
};
export const names = (folder: string): readonly string[] => attempt(() => readdirSync(folder), []).toSorted();
const slurp = (path: string): string => attempt(() => readFileSync(path, 'utf8'), '');
const linkOf = (path: string): string => attempt(() => readlinkSync(path), '');
const json = (path: string): Fields => attempt(() => fields(JSON.parse(readFileSync(path, 'utf8'))), {});
const isDocument = (text: string): boolean => attempt(() => typeof JSON.parse(text) === 'object', false);
const walk = (folder: string): readonly string[] => attempt(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => (entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)]));

export const linesOf = (path: string): { readonly good: readonly Fields[]; readonly bad: readonly string[] } => {
  const good: Fields[] = [];
  const bad: string[] = [];
  for (const line of slurp(path).split('\n').filter((text) => text !== '')) {
    const raw: unknown = attempt(() => JSON.parse(line) as unknown, undefined);
    if (typeof raw === 'object' && raw !== null) good.push(raw as Fields);
    else bad.push(line);
  }
  return { good, bad };
};

const fields = (raw: unknown): Fields => (typeof raw === 'object' && raw !== null ? (raw as Fields) : {});
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const counted = (items: readonly string[]): ReadonlyMap<string, number> => {
  const out = new Map<string, number>();
  for (const item of items) out.set(item, (out.get(item) ?? 0) + 1);
  return out;
};
