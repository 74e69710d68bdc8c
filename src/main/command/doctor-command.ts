// `doctor`: gathers what the set-up is like here; show/doctor.ts says what is wrong with it.
import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, readSync, statfsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { openJudge } from '../entry/judge.ts';
import { runtimeInPlace } from '../entry/runtime.ts';
import { isEnrolled } from '../floor/config-file.ts';
import type { LayerName } from '../floor/config.ts';
import { findDataDir } from '../floor/data-dir-file.ts';
import { namesIn } from '../floor/disk-file.ts';
import { isCode, isMissing } from '../floor/json-file.ts';
import { readLines } from '../floor/jsonl-file.ts';
import { lockHolder } from '../floor/lock-file.ts';
import type { Paths } from '../floor/paths.ts';
import { findBySession } from '../memory/ledger-file.ts';
import { loadCatalogue } from '../pass/catalogue-file.ts';
import { serverProblems } from '../pass/mcp-config.ts';
import { openPools } from '../pools.ts';
import { checksOf, doctorText, type DoctorFacts } from '../show/doctor.ts';
import { readStatus } from '../speak/status-file.ts';
import { configAt, openPlace, programAt, type Place } from './place.ts';
import type { Words } from './words.ts';
import type { Provider } from '../../workers/contract.ts';

export const doctorCommand = async (words: Words): Promise<number> => {
  const argument = typeof words.flags['data'] === 'string' ? words.flags['data'] : undefined;
  const found = findDataDir({ argument, dist: __dirname, env: process.env, home: homedir() });
  // Without a data directory the other questions still have answers.
  const data = found.ok ? found.data : join(found.looked_in, 'second-brain-*');
  const place = openPlace({ flags: { ...words.flags, data: existsSync(data) && !isUsable(data) ? NOWHERE : data } });
  if (place === undefined) return 1;
  const checks = checksOf(await factsAt({ ...place, named: argument }, data, words.flags['online'] === true));
  process.stdout.write(words.flags['json'] === true ? `${JSON.stringify({ ok: !checks.some(({ state }) => state === 'bad'), checks })}\n` : `${doctorText(checks, place.width)}\n`);
  return checks.some(({ state }) => state === 'bad') ? 1 : 0;
};

/** Stands for a directory that is closed to us: nothing can be under a file. */
const NOWHERE = join(process.execPath, 'none');

/** `data` is named in the answer; `place` may be nowhere. */
const factsAt = async (place: Place, data: string, online: boolean): Promise<DoctorFacts> => {
  const { paths, session, now, env, workspace } = place;
  const config = configAt(place);
  const layer = (knob: string): LayerName => config.sources.get(knob) ?? 'default';
  const runtime = runtimeInPlace(join(__dirname, '..'));
  const catalogue = loadCatalogue({ bundle: runtime.catalogue, prompts: runtime.prompts, file: config.knobs.catalogue.file, overrides: config.knobs.detectors });
  const judge = openJudge({ knobs: () => config.knobs, env, root: () => workspace, endpoints: undefined, log: () => undefined });
  const { provider } = await judge.choose();
  const reached = online && (provider.kind === 'anthropic' || provider.kind === 'openai') ? await reach(provider) : undefined;
  const status = session === undefined ? undefined : readStatus(paths.status(session), now);
  const files = existsSync(paths.data) ? filesUnder(paths.data) : [];
  return {
    now,
    program: programAt(place),
    node: process.version,
    host_version: hostVersion(place),
    data: { path: data, exists: existsSync(data), writable: isUsable(data), open: files.filter(({ open }) => open).length, free_bytes: freeBytes(data) },
    hooks: hooksIn(paths),
    monitors: namesIn(paths.hosts).flatMap((host) => {
      const holder = lockHolder(paths.monitorLock(host));
      return holder === undefined ? [] : [{ host, pid: holder.pid }];
    }),
    leased: namesIn(paths.sessions).filter((name) => lockHolder(paths.lease(name)) !== undefined),
    session: { id: session, watched: session !== undefined && lockHolder(paths.lease(session)) !== undefined, running_version: status?.ok === true ? status.value.status.version : undefined },
    installed: runtime.version,
    provider: { kind: provider.kind, model: provider.model, key_from: judge.keyFrom(), problems: judge.problems() },
    ...(reached === undefined ? {} : { online: reached }),
    config_problems: [...config.problems, ...serverProblems(config.knobs.mcp.servers)],
    catalogue: { source: catalogue.source, count: catalogue.detectors.length, problems: catalogue.problems },
    workspace: { path: workspace, enrolled: isEnrolled(config.knobs, workspace), refused: config.knobs.enable.workspaces[workspace] === false, muted: config.knobs.mute.all },
    layers: { 'catalogue.file': layer('catalogue.file'), detectors: layer('detectors'), 'mute.all': layer('mute.all') },
    set_aside: files.filter(({ path }) => path.endsWith('.bad')).length,
    from_the_future: files.filter(({ at }) => at > now + CLOCK_GRACE_MS).length,
  };
};

/** One request of a few tokens: address, key and model are right when it is answered. */
const reach = async (provider: Provider): Promise<NonNullable<DoctorFacts['online']>> => {
  const pools = openPools({ dist: __dirname, fork_threads: 1, width: 1, compute_threads: 1 });
  const started = Date.now();
  try {
    const { cause } = await pools.summarize({ kind: 'summary', id: 'doctor', provider, system: 'Answer with one word.', text: 'Are you there?', timeout_ms: REACH_MS, max_output_tokens: 16 });
    return { took_ms: Date.now() - started, ...(cause === undefined ? {} : { cause }) };
  } finally {
    await pools.close();
  }
};

const REACH_MS = 15_000;

/** Clocks of network file systems differ a little. */
const CLOCK_GRACE_MS = 120_000;
/** Enough to see what is the matter; a large directory is not walked whole. */
const MOST_FILES = 20_000;

type Seen = { readonly path: string; readonly at: number; readonly open: boolean };

/** Files of ours, but not the copies of what the monitor runs from, which are no secret. */
const filesUnder = (data: string): readonly Seen[] => {
  const seen: Seen[] = [];
  const walk = (folder: string): void => {
    for (const name of namesIn(folder)) {
      if (seen.length >= MOST_FILES) return;
      const path = join(folder, name);
      if (folder === data && (name === 'run' || name === 'bin' || name === 'config.schema.json')) continue;
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat?.isDirectory() === true) walk(path);
      else if (stat?.isFile() === true) seen.push({ path, at: stat.mtimeMs, open: process.platform !== 'win32' && (stat.mode & 0o077) !== 0 });
    }
  };
  walk(data);
  return seen;
};

const isUsable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (isMissing(error) || isCode(error, 'EACCES', 'EPERM', 'EROFS')) return false;
    throw error;
  }
};

const freeBytes = (folder: string): number | undefined => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch (error) {
    if (isMissing(error) || isCode(error, 'ENOSYS', 'EACCES')) return undefined;
    throw error;
  }
};

const hooksIn = (paths: Paths): DoctorFacts['hooks'] => {
  const times = namesIn(paths.hosts).flatMap((host) => [paths.spool(host), `${paths.spool(host)}.old`].flatMap((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? []));
  return { last_at: times.length === 0 ? undefined : Math.max(...times), no_node: namesIn(paths.hosts).some((host) => existsSync(paths.noNode(host))) };
};

/** `claude-code_2-1-332_agent` in the environment, else what the session's transcript says of itself. */
const hostVersion = ({ env, paths, session }: Place): string | undefined => {
  const told = /^claude-code_(\d+)-(\d+)-(\d+)/.exec(env['AI_AGENT'] ?? '');
  if (told !== null) return told.slice(1, 4).join('.');
  if (session === undefined) return undefined;
  const transcript = findBySession(paths, session)?.position?.path ?? spooledTranscript(paths, session);
  return transcript === undefined ? undefined : [...tailOf(transcript).matchAll(/"version":"(\d{1,4}\.\d{1,4}\.\d{1,6})"/g)].at(-1)?.[1];
};

const spooledTranscript = (paths: Paths, session: string): string | undefined =>
  namesIn(paths.hosts)
    .flatMap((host) => readLines(paths.spool(host), (raw) => raw).lines)
    .flatMap((raw) => (typeof raw === 'object' && raw !== null && 'session' in raw && raw.session === session && 'transcript' in raw && typeof raw.transcript === 'string' ? [raw.transcript] : []))
    .at(-1);

const TAIL_BYTES = 256_000;

const tailOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return '';
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(TAIL_BYTES, stat.size));
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, Math.max(0, stat.size - bytes.length)));
  } finally {
    closeSync(fd);
  }
};
