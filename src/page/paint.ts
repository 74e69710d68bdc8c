// What is drawn on a chart beyond its lines: the marks and bars of the timeline, and where the window was compacted.
import type uPlot from 'uplot';
import type { ChartData } from '../main/show/report-chart.ts';

type Ink = (name: string) => string;

const LANE_INK: Readonly<Record<string, string>> = { Prompts: '--prompt', Edits: '--edit', Errors: '--error', Notes: '--note', Passes: '--pass', Advice: '--advice' };
const BAR_INK = ['--silent', '--advised', '--failed'] as const;
const PILOT = 4;

/** Lane by lane: a tick for each event, a bar for each fork, the pilot's with a frame. */
export const paintTimeline = (plot: uPlot, data: ChartData, ink: Ink): void => {
  const { ctx, bbox } = plot;
  const dot = devicePixelRatio;
  const lane = Math.abs(plot.valToPos(1, 'y', true) - plot.valToPos(0, 'y', true));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const crowded = crowdedLanes(plot, data);
  for (let i = 0; i + 1 < data.events.length; i += 2) {
    const at = data.events[i] ?? 0;
    const x = plot.valToPos(data.start + (data.events[i + 1] ?? 0), 'x', true);
    if (x < bbox.left - 5 || x > bbox.left + bbox.width + 5) continue;
    const y = plot.valToPos(at, 'y', true);
    const name = data.lanes[at] ?? '';
    ctx.fillStyle = ink(LANE_INK[name] ?? '--pass');
    ctx.globalAlpha = crowded.has(at) ? 0.4 : 1;
    if (name === 'Advice') {
      ctx.beginPath();
      ctx.moveTo(x, y - lane * 0.38);
      ctx.lineTo(x + lane * 0.3, y);
      ctx.lineTo(x, y + lane * 0.38);
      ctx.lineTo(x - lane * 0.3, y);
      ctx.fill();
    } else ctx.fillRect(x - dot, y - lane * 0.35, 2 * dot, lane * 0.7);
  }
  ctx.globalAlpha = 1;
  for (let i = 0; i + 3 < data.bars.length; i += 4) {
    const [at = 0, second = 0, tenths = 0, kind = 0] = data.bars.slice(i, i + 4);
    const x = plot.valToPos(data.start + second, 'x', true);
    const wide = Math.max(3 * dot, plot.valToPos(data.start + second + tenths / 10, 'x', true) - x);
    if (x + wide < bbox.left || x > bbox.left + bbox.width) continue;
    const y = plot.valToPos(at, 'y', true);
    const failed = kind % PILOT === 2;
    ctx.fillStyle = ink(BAR_INK[kind % PILOT] ?? '--silent');
    // One without an answer is half as high: told apart without colour.
    ctx.fillRect(x, y - lane * (failed ? 0.15 : 0.32), wide, lane * (failed ? 0.3 : 0.64));
    if (kind >= PILOT) {
      ctx.strokeStyle = ink('--pilot');
      ctx.lineWidth = 1.5 * dot;
      ctx.strokeRect(x, y - lane * 0.36, wide, lane * 0.72);
    }
  }
  ctx.restore();
};

/** Lanes with more marks in sight than a width of pixels shows: there the denser places are to be the darker ones. */
const crowdedLanes = (plot: uPlot, { events, start }: ChartData): ReadonlySet<number> => {
  const { min = 0, max = 0 } = plot.scales['x'] ?? {};
  const counts = new Map<number, number>();
  for (let i = 0; i + 1 < events.length; i += 2) {
    const [lane = 0, second = 0] = [events[i], events[i + 1]];
    if (start + second >= min && start + second <= max) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([lane, n]) => (n > CROWD ? [lane] : [])));
};

const CROWD = 800;

export const paintCompactions = (plot: uPlot, data: ChartData, ink: Ink): void => {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = ink('--error');
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const second of data.compactions) {
    const x = plot.valToPos(data.start + second, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
};
