// How times and amounts are written on the page's charts.
import type uPlot from 'uplot';

const pad = (n: number): string => String(n).padStart(2, '0');

/** `15:02` of seconds that were shifted to the report's zone, with seconds when asked. */
export const timeOf = (seconds: number, exact: boolean): string => {
  const date = new Date(seconds * 1000);
  return `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}${exact ? `:${pad(date.getUTCSeconds())}` : ''}`;
};

/** The times of an axis: seconds when close, and the day where one begins. */
export const timeValues = (_: uPlot, splits: number[], _axis: number, _space: number, step: number): string[] => {
  let day = '';
  return splits.map((seconds) => {
    const own = new Date(seconds * 1000).toISOString().slice(5, 10);
    const begins = own !== day;
    day = own;
    if (step >= 86_400) return own;
    return `${timeOf(seconds, step < 60)}${begins ? `\n${own}` : ''}`;
  });
};

/** An amount as its chart counts it. */
export const figure = (kind: string, value: number): string => (kind === 'window' ? `${round(value)}%` : kind === 'money' ? `$${round(value)}` : short(value));

const round = (n: number): string => String(Number(n.toPrecision(3)));
const short = (n: number): string => (n >= 1e6 ? `${round(n / 1e6)}M` : n >= 1e3 ? `${round(n / 1e3)}k` : round(n));

export const clipped = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
