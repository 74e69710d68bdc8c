// What runs in a report's page: draws each session's charts from the numbers that lie beside them, and lets buttons move in time.
import uPlot from 'uplot';
import type { ChartData } from '../main/show/report-chart.ts';
import { clipped, figure, timeValues } from './figures.ts';
import { paintCompactions, paintTimeline } from './paint.ts';
import { readoutAt } from './readout.ts';

const PLAIN_HEIGHT = 200;
const LANE_HEIGHT = 26;

/** A session on the page: its charts share one span of time. */
const openSession = (root: HTMLElement): { readonly draw: () => void; readonly fit: () => void } => {
  const text = document.getElementById(`${root.dataset['session'] ?? ''}-data`)?.textContent;
  const data = JSON.parse(text ?? '{}') as ChartData;
  const places = [...root.querySelectorAll<HTMLElement>('[data-chart]')];
  // Room beside the first and the last mark; one event alone needs a span too.
  const room = Math.max(5, (data.end - data.start) / 40);
  const whole = { min: data.start - room, max: data.end + room };
  let span = whole;
  let plots: uPlot[] = [];

  const show = (min: number, max: number): void => {
    const wide = Math.max(2, Math.min(max - min, whole.max - whole.min));
    const from = Math.max(whole.min, Math.min(min, whole.max - wide));
    span = { min: from, max: from + wide };
    for (const plot of plots) plot.setScale('x', span);
  };
  const draw = (): void => {
    for (const plot of plots) plot.destroy();
    plots = places.map((place) => new uPlot(optionsOf(place, data, span, show), seriesOf(place.dataset['chart'] ?? '', data), place));
  };
  const fit = (): void => {
    plots.forEach((plot, at) => {
      const width = places[at]?.clientWidth ?? 0;
      if (width > 0 && Math.abs(width - plot.width) > 1) plot.setSize({ width, height: plot.height });
    });
  };
  for (const button of root.querySelectorAll<HTMLButtonElement>('[data-zoom]')) {
    button.addEventListener('click', () => {
      const { min, max } = span;
      const wide = max - min;
      const middle = (min + max) / 2;
      const to = { in: [middle - wide / 4, middle + wide / 4], out: [middle - wide, middle + wide], earlier: [min - wide / 2, max - wide / 2], later: [min + wide / 2, max + wide / 2], all: [whole.min, whole.max] }[button.dataset['zoom'] ?? ''];
      if (to?.[0] !== undefined && to[1] !== undefined) show(to[0], to[1]);
    });
  }
  return { draw, fit };
};

const seriesOf = (kind: string, { start, end, points, events }: ChartData): uPlot.AlignedData => {
  if (kind === 'timeline') {
    const times: number[] = [start, end];
    for (let i = 1; i < events.length; i += 2) times.push(start + (events[i] ?? 0));
    times.sort((a, b) => a - b);
    return [times, times.map(() => null)];
  }
  const lines: Readonly<Record<string, readonly (readonly number[])[]>> = { window: [points.fill], tokens: [points.own, points.agent], money: [points.usd ?? []], weighed: [points.weighed] };
  // A pass's value holds until the next one; before the first there is nothing.
  return [[start, ...points.at.map((second) => start + second), Math.max(end, start + 1)], ...(lines[kind] ?? []).map((line) => [0, ...line, line.at(-1) ?? 0])];
};

const optionsOf = (place: HTMLElement, data: ChartData, span: { readonly min: number; readonly max: number }, show: (min: number, max: number) => void): uPlot.Options => {
  const kind = place.dataset['chart'] ?? '';
  const timeline = kind === 'timeline';
  const ink = colours();
  const width = Math.max(240, place.clientWidth);
  const axis = { stroke: ink('--quiet'), grid: { stroke: ink('--line'), width: 1 }, ticks: { stroke: ink('--line'), width: 1 }, font: '12px system-ui, sans-serif' };
  const readout = place.parentElement?.querySelector<HTMLElement>(`.readout[data-for="${kind}"]`);
  return {
    width,
    height: timeline ? 60 + LANE_HEIGHT * Math.max(2, data.lanes.length) : PLAIN_HEIGHT,
    // Times were shifted to the report's zone: here they are told as they stand.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, points: { show: !timeline }, drag: { x: true, y: false, setScale: false } },
    scales: { x: { time: true, range: (_, min, max) => [min, max], min: span.min, max: span.max }, y: timeline ? { range: [-0.5, Math.max(1.5, data.lanes.length - 0.5)], dir: -1 } : { range: (_, _min, max) => [0, kind === 'window' ? Math.max(100, max) : Math.max(max * 1.08, 0.0001)] } },
    axes: [
      { ...axis, values: timeValues },
      timeline
        ? { ...axis, size: axisWidth(width), splits: data.lanes.map((_, at) => at), values: (_, splits) => splits.map((at) => clipped(data.lanes[at] ?? '', width < 600 ? 10 : 20)) }
        : { ...axis, size: axisWidth(width), values: (_, splits) => splits.map((value) => figure(kind, value)) },
    ],
    series: [{}, ...seriesLooks(kind, ink)],
    hooks: {
      draw: [(plot) => (timeline ? paintTimeline(plot, data, ink) : kind === 'window' ? paintCompactions(plot, data, ink) : undefined)],
      setSelect: [
        (plot) => {
          if (plot.select.width < 5) return;
          show(plot.posToVal(plot.select.left, 'x'), plot.posToVal(plot.select.left + plot.select.width, 'x'));
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      setCursor: [(plot) => readout !== null && readout !== undefined && (readout.textContent = readoutAt(plot, kind, data, place))],
    },
  };
};

/** Wide enough for a detector's name where there is room; all charts have the same, so that their times stand in line. */
const axisWidth = (width: number): number => (width < 600 ? 84 : 150);

const seriesLooks = (kind: string, ink: (name: string) => string): uPlot.Series[] => {
  if (kind === 'timeline') return [{ show: false }];
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const look = (name: string, dash?: number[]): uPlot.Series => ({ stroke: ink(name), width: 2, points: { show: false }, ...(stepped === undefined ? {} : { paths: stepped }), ...(dash === undefined ? {} : { dash }) });
  return kind === 'tokens' ? [look('--line1'), look('--line2', [8, 5])] : [look('--line1')];
};

const colours = (): ((name: string) => string) => {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(name).trim();
};

const sessions = [...document.querySelectorAll<HTMLElement>('[data-session]')].map((root) => {
  const session = openSession(root);
  const folded = root.closest('details');
  let drawn = false;
  const visible = (): boolean => folded === null || folded.open;
  const draw = (): void => {
    if (!visible()) return;
    drawn = true;
    session.draw();
  };
  folded?.addEventListener('toggle', () => drawn || draw());
  new ResizeObserver(() => drawn && visible() && session.fit()).observe(root);
  draw();
  return () => drawn && draw();
});

const again = (): void => sessions.forEach((draw) => draw());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
// Paper is light, whatever the screen is.
addEventListener('beforeprint', () => {
  document.documentElement.dataset['paper'] = '';
  again();
});
addEventListener('afterprint', () => {
  delete document.documentElement.dataset['paper'];
  again();
});
