// doctor: from what was found to what is wrong, each with the one command that mends it (SPEC 12).
import type { LayerName } from '../floor/config.ts';
import { age, fit } from './plain.ts';

export type DoctorFacts = {
  readonly now: number;
  /** How this program is called from a shell. */
  readonly program: string;
  readonly node: string;
  /** The host's version by its environment or its transcripts. */
  readonly host_version: string | undefined;
  readonly data: { readonly path: string; readonly exists: boolean; readonly writable: boolean; /** Files others on this machine can read. */ readonly open: number; readonly free_bytes: number | undefined };
  readonly hooks: { readonly last_at: number | undefined; readonly no_node: boolean };
  readonly monitors: readonly { readonly host: string; readonly pid: number }[];
  /** Sessions under a living monitor. */
  readonly leased: readonly string[];
  readonly session: { readonly id: string | undefined; readonly watched: boolean; readonly running_version: string | undefined };
  readonly installed: string;
  readonly provider: { readonly kind: string; readonly model: string; readonly key_from: string; readonly problems: readonly string[] };
  /** What one small request to the provider came to; absent when nobody asked for it. */
  readonly online?: { readonly cause?: string; readonly took_ms: number };
  readonly config_problems: readonly string[];
  readonly catalogue: { readonly source: string; readonly count: number; readonly problems: readonly string[] };
  /** `refused`: by its own entry in `enable.workspaces`. */
  readonly workspace: { readonly path: string; readonly enrolled: boolean; readonly refused: boolean; readonly muted: boolean };
  /** The layer that the value in force came from. */
  readonly layers: Readonly<Record<'catalogue.file' | 'detectors' | 'mute.all', LayerName>>;
  readonly set_aside: number;
  /** Files with a time ahead of the clock. */
  readonly from_the_future: number;
};

/** `note` is worth knowing and no fault; `bad` makes the exit code 1. */
export type Check = { readonly name: string; readonly state: 'ok' | 'note' | 'bad'; readonly says: string; readonly fix?: string };

const OLDEST_NODE = [20, 19, 0];
/** The hosts our contract was observed on. */
const OLDEST_HOST = [2, 1, 150];
const NEWEST_HOST = [2, 1, 332];
const LITTLE_BYTES = 100_000_000;
const NO_BYTES = 5_000_000;
const DAY_MS = 86_400_000;

/** Every check, in the order in which things depend on each other. */
export const checksOf = (facts: DoctorFacts): readonly Check[] => [
  { name: 'Second Brain', state: 'ok', says: facts.installed },
  nodeCheck(facts),
  hostCheck(facts),
  dataCheck(facts),
  diskCheck(facts),
  clockCheck(facts),
  configCheck(facts),
  catalogueCheck(facts),
  workspaceCheck(facts),
  hooksCheck(facts),
  monitorCheck(facts),
  providerCheck(facts),
  ...(facts.online === undefined ? [] : [onlineCheck(facts, facts.online)]),
  ...(facts.set_aside === 0 ? [] : [{ name: 'set aside', state: 'note', says: `${facts.set_aside} damaged or newer files were set aside and rebuilt`, fix: `find ${quoted(facts.data.path)} -name '*.bad' -delete` } as const]),
];

/** The checks as lines: what is wrong stands out by its mark. */
export const doctorText = (checks: readonly Check[], width: number): string => {
  const marks = { ok: 'ok  ', note: 'note', bad: 'BAD ' } as const;
  const wrong = checks.filter(({ state }) => state === 'bad').length;
  return fit(
    [
      ...checks.flatMap(({ name, state, says, fix }) => [`${marks[state]} ${name}: ${says}`, ...(fix === undefined ? [] : [`       → ${fix}`])]),
      wrong === 0 ? 'Nothing is wrong.' : `${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong.`,
    ].join('\n'),
    width,
  );
};

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

const numbers = (version: string): readonly number[] => (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);

/** Below 0 when `a` is the older one. */
const compare = (a: readonly number[], b: readonly number[]): number => {
  for (let at = 0; at < 3; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

const nodeCheck = ({ node }: DoctorFacts): Check =>
  compare(numbers(node), OLDEST_NODE) < 0
    ? { name: 'Node', state: 'bad', says: `${node} is too old, hooks and monitor need 20.19`, fix: 'install Node 20.19 or newer and put it on PATH' }
    : { name: 'Node', state: 'ok', says: node };

const hostCheck = ({ host_version }: DoctorFacts): Check => {
  const name = 'Claude Code';
  if (host_version === undefined) return { name, state: 'note', says: 'version unknown here; it shows once a session was watched' };
  if (compare(numbers(host_version), OLDEST_HOST) < 0) return { name, state: 'bad', says: `${host_version} is older than ${OLDEST_HOST.join('.')}, the oldest that was tried`, fix: 'claude update' };
  if (compare(numbers(host_version), NEWEST_HOST) > 0) return { name, state: 'note', says: `${host_version} is newer than ${NEWEST_HOST.join('.')}, the newest that was tried; it is used all the same` };
  return { name, state: 'ok', says: host_version };
};

const dataCheck = ({ data }: DoctorFacts): Check => {
  const name = 'data';
  if (!data.exists) return { name, state: 'bad', says: `${data.path} is not there: no session has run with the plugin yet`, fix: 'start a Claude Code session with the plugin, or name the directory with --data' };
  if (!data.writable) return { name, state: 'bad', says: `${data.path} cannot be read and written`, fix: `chmod -R u+rwX ${quoted(data.path)}` };
  if (data.open > 0) return { name, state: 'bad', says: `${data.open} files in ${data.path} can be read by others on this machine`, fix: `chmod -R go-rwx ${quoted(data.path)}` };
  return { name, state: 'ok', says: `${data.path}, private and writable` };
};

const diskCheck = ({ data: { free_bytes, path } }: DoctorFacts): Check => {
  if (free_bytes === undefined) return { name: 'disk', state: 'note', says: 'free space unknown' };
  const free = `${Math.floor(free_bytes / 1e6)} MB free`;
  if (free_bytes < LITTLE_BYTES) return { name: 'disk', state: free_bytes < NO_BYTES ? 'bad' : 'note', says: free, fix: `du -sh ${quoted(path)}/*` };
  return { name: 'disk', state: 'ok', says: free };
};

const clockCheck = ({ from_the_future }: DoctorFacts): Check =>
  from_the_future === 0
    ? { name: 'clock', state: 'ok', says: 'no file is from the future' }
    : { name: 'clock', state: 'bad', says: `${from_the_future} files are from the future: the clock was set back, and mail and budgets may wait for it`, fix: 'set the clock, then start a new session' };

const configCheck = ({ config_problems, program }: DoctorFacts): Check =>
  config_problems.length === 0
    ? { name: 'config', state: 'ok', says: 'every value is valid' }
    : { name: 'config', state: 'bad', says: config_problems.join('; '), fix: `${program} config reset <knob>, or mend the file` };

const catalogueCheck = ({ catalogue: { source, count, problems }, layers, program }: DoctorFacts): Check =>
  problems.length === 0
    ? { name: 'detectors', state: 'ok', says: `${count}, ${source === 'user' ? 'from your own catalogue' : 'the ones that come with it'}` }
    : { name: 'detectors', state: 'bad', says: problems.join('; '), fix: problems.some((problem) => problem.startsWith('catalogue.file')) ? `mend the file, or ${program} config reset catalogue.file${everywhere(layers['catalogue.file'])}` : `${program} config reset detectors${everywhere(layers.detectors)}` };

/** What reaches the layer that decides. */
const everywhere = (layer: LayerName): string => (layer === 'global' ? ' --global' : '');

const workspaceCheck = ({ workspace: { path, enrolled, refused, muted }, layers, program }: DoctorFacts): Check => {
  const name = 'workspace';
  if (!enrolled) return { name, state: 'note', says: `${path} is not watched, by your configuration`, fix: refused ? `take it out of enable.workspaces: ${program} config enable.workspaces` : `${program} config set enable.default true` };
  if (muted) return { name, state: 'note', says: `${path} is muted`, fix: layers['mute.all'] === 'env' ? 'unset SECOND_BRAIN_MUTE_ALL' : `${program} config set mute.all false${everywhere(layers['mute.all'])}` };
  return { name, state: 'ok', says: `${path} is watched` };
};

const hooksCheck = ({ hooks: { last_at, no_node }, now }: DoctorFacts): Check => {
  const name = 'hooks';
  if (last_at === undefined && no_node) return { name, state: 'bad', says: 'a hook of ours ran and found no usable Node', fix: 'install Node 20.19 or newer and put it on PATH' };
  if (last_at === undefined) return { name, state: 'bad', says: 'no hook of ours has reported here', fix: 'claude plugin list, then send a prompt in a session' };
  const said = `the last signal came ${age(now - last_at)} ago`;
  return now - last_at > DAY_MS ? { name, state: 'note', says: said } : { name, state: 'ok', says: said };
};

const monitorCheck = ({ monitors, leased, session, installed }: DoctorFacts): Check => {
  const name = 'monitor';
  const alive = monitors.map(({ pid, host }) => `pid ${pid} for host ${host}`).join(', ');
  if (session.id !== undefined && session.watched) {
    const { running_version } = session;
    const stale = running_version !== undefined && running_version !== installed;
    return { name, state: stale ? 'note' : 'ok', says: `session ${session.id} is watched (${alive})${stale ? `; ${running_version} runs, ${installed} is installed` : ''}`, ...(stale ? { fix: 'start a new Claude Code session' } : {}) };
  }
  if (monitors.length === 0) return { name, state: 'note', says: 'none runs; the host starts one with each interactive session', fix: 'start a Claude Code session in this workspace' };
  const elsewhere = leased.length === 0 ? 'it watches no session yet' : `it watches ${leased.slice(0, 5).join(', ')}`;
  return { name, state: 'note', says: `${alive}; ${session.id === undefined ? '' : `not this session ${session.id}; `}${elsewhere}` };
};

const providerCheck = ({ provider: { kind, model, key_from, problems }, program }: DoctorFacts): Check => {
  const name = 'judge';
  const who = kind === 'local' ? 'local rules, no model' : `${kind}, ${model}, key from ${key_from}`;
  const says = [`${who} (as the environment here has it)`, ...problems].join('; ');
  if (problems.length > 0) return { name, state: kind === 'local' ? 'bad' : 'note', says, fix: `${program} config show model` };
  return kind === 'local' ? { name, state: 'note', says, fix: `set ANTHROPIC_API_KEY, or ${program} config set model.provider host --global` } : { name, state: 'ok', says };
};

const onlineCheck = ({ provider: { kind }, program }: DoctorFacts, { cause, took_ms }: NonNullable<DoctorFacts['online']>): Check =>
  cause === undefined
    ? { name: 'provider', state: 'ok', says: `${kind} answered in ${took_ms} ms` }
    : { name: 'provider', state: 'bad', says: `${kind} did not answer: ${cause}`, fix: /40[13]/.test(cause) ? `${program} config show model.key_command` : `${program} config show model.base_url` };
