// The line under a chart that tells what the pointer is at. An event's words come from the table under it.
import type uPlot from 'uplot';
import { figure, timeOf } from './figures.ts';
import type { ChartData } from '../main/show/report-chart.ts';

/** As far as a pointer may be from what it means, in pixels. */
const NEAR = 12;

export const readoutAt = (plot: uPlot, kind: string, data: ChartData, place: HTMLElement): string => {
  const { left, top, idx } = plot.cursor;
  if (left === undefined || top === undefined || left < 0) return '';
  if (kind !== 'timeline') return typeof idx === 'number' ? pointText(plot, kind, idx) : '';
  const lane = Math.round(plot.posToVal(top, 'y'));
  const at = nearest(plot, data, left, lane);
  return at === undefined ? '' : rowText(place, data.events.length / 2, at);
};

const nearest = (plot: uPlot, { events, start }: ChartData, left: number, lane: number): number | undefined => {
  let best: number | undefined;
  let least = NEAR;
  for (let i = 0; i + 1 < events.length; i += 2) {
    if (events[i] !== lane) continue;
    const away = Math.abs(plot.valToPos(start + (events[i + 1] ?? 0), 'x') - left);
    if (away > least) continue;
    least = away;
    best = i / 2;
  }
  return best;
};

const pointText = ({ data }: uPlot, kind: string, at: number): string => [timeOf(data[0][at] ?? 0, true), ...data.slice(1).map((line) => figure(kind, line[at] ?? 0))].join(' · ');

/** The row of the chart's table; of very many, the table holds only the last. */
const rowText = (place: HTMLElement, all: number, at: number): string => {
  const rows = place.closest('section')?.querySelector('table')?.tBodies[0]?.rows;
  const row = rows?.[at - (all - rows.length)];
  return row === undefined ? '' : [...row.cells].map((cell) => cell.textContent.trim()).filter((text) => text !== '').join(' · ');
};
