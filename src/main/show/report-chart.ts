// The numbers behind a session's charts, packed for the page's script. Seconds count from `start`, in the report's time zone.
import { plain } from './plain.ts';
import { isFailed, type Event, type Report } from './report-model.ts';

/** Lists are flat: `events` are pairs of lane and second, `bars` are lane, second, length in tenths of a second, kind. */
export type ChartData = {
  readonly start: number;
  readonly end: number;
  readonly lanes: readonly string[];
  readonly events: readonly number[];
  readonly bars: readonly number[];
  readonly points: { readonly at: readonly number[]; readonly own: readonly number[]; readonly agent: readonly number[]; readonly weighed: readonly number[]; readonly fill: readonly number[]; readonly usd?: readonly number[] };
  readonly compactions: readonly number[];
};

/** What a bar says: the verdict, and 4 more for the pilot. */
export const BAR = { silent: 0, advised: 1, failed: 2, pilot: 4 } as const;

const LANES: readonly (readonly [Event['kind'], string])[] = [['prompt', 'Prompts'], ['edit', 'Edits'], ['error', 'Errors'], ['note', 'Notes'], ['pass', 'Passes']];

const DETECTOR_LANES = 12;

/** How many of each there is room for; the newest stay, and of points every so many. */
export type ChartRoom = { readonly events: number; readonly bars: number; readonly points: number };

export const chartData = (report: Report, offset_min: number, room: ChartRoom): ChartData => {
  const zone = offset_min * 60;
  const start = Math.floor(report.from / 1000);
  const second = (at: number): number => Math.round(at / 1000) - start;
  const present = new Set(report.events.map(({ kind }) => kind));
  const kinds = LANES.filter(([kind]) => present.has(kind));
  const names = report.detectors.map(({ detector }) => detector).slice(0, DETECTOR_LANES);
  const lanes = [...kinds.map(([, name]) => name), ...names.map((name) => plain(name).slice(0, 40)), ...(present.has('advice') ? ['Advice'] : [])];
  const laneOf = new Map<Event['kind'], number>([...kinds.map(([kind], at) => [kind, at] as const), ['advice', lanes.length - 1]]);
  const bars = report.passes.flatMap(({ at, forks }) =>
    forks.flatMap((fork) => {
      const lane = names.indexOf(fork.detector);
      if (lane === -1) return [];
      const kind = (isFailed(fork) ? BAR.failed : fork.verdict === 'advise' ? BAR.advised : BAR.silent) + (fork.pilot ? BAR.pilot : 0);
      return [[kinds.length + lane, second(at + fork.from_ms), Math.round(fork.took_ms / 100), kind]];
    }),
  );
  const points = thinned(report.points, room.points);
  const priced = report.usd !== undefined;
  return {
    start: start + zone,
    end: Math.ceil(report.to / 1000) + zone,
    lanes,
    events: report.events.slice(-room.events).flatMap(({ at, kind }) => [laneOf.get(kind) ?? 0, second(at)]),
    bars: bars.slice(-room.bars).flat(),
    points: {
      at: points.map(({ at }) => second(at)),
      own: points.map(({ own }) => own),
      agent: points.map(({ agent }) => agent),
      weighed: points.map(({ weighed }) => weighed),
      fill: points.map(({ fill }) => Math.round(fill * 1000) / 10),
      ...(priced ? { usd: points.map(({ usd }) => Math.round((usd ?? 0) * 10_000) / 10_000) } : {}),
    },
    compactions: report.points.slice(-room.points).flatMap(({ at, compacted }) => (compacted ? [second(at)] : [])),
  };
};

/** Every so many of them, the last always. */
const thinned = <T>(all: readonly T[], most: number): readonly T[] => {
  const step = Math.ceil(all.length / most);
  return step <= 1 ? all : all.filter((_, at) => (all.length - 1 - at) % step === 0);
};
