// The judgment report: a page of one file, opened in a real browser where there is one.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { judgmentHtml } from '../../bench/judgment/page.ts';
import { scoreSplit, type Case, type Said } from '../../bench/judgment/score.ts';
import { hasChromium, openPage } from '../support/browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'judgment-page-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const said = (record: number, lens = 'right'): Said => ({ id: `a${record}`, lens, at: record * 10_000, record, confidence: 0.9, to: 'agent', headline: '', given: 2, kept: 2, on_mark: true });
const caseOf = (kind: Case['kind'], at: number, words: readonly Said[], over: Partial<Case> = {}): Case => ({
  id: `${kind}-${at}`, split: 'fresh', kind, lenses: kind === 'base' ? [] : ['right'], end: { record: 100, at: 1_000_000 }, hours: 1, said: words, scores: words, passes: 3, tokens: 10,
  ...(kind === 'base' ? {} : { fault: 'never-tested', structural: true, what: 'a <b>shape</b> & "quotes"' }), ...(kind === 'fault' ? { shows: 40, onset: 50 } : {}), ...over,
});
// Three of four are found, after 2, 9 and 40 records, which is too late; one of six harmless ones is flagged.
const cases: readonly Case[] = [
  ...[0, 1].map((at) => caseOf('base', at, [])),
  caseOf('fault', 0, [said(52)]), caseOf('fault', 1, [said(59)]), caseOf('fault', 2, [said(90)]), caseOf('fault', 3, []),
  ...[0, 1, 2].flatMap((at) => [caseOf('clean', at, []), caseOf('near', at, at === 0 ? [said(60, 'other')] : [])]),
  caseOf('fault', 4, [], { fault: 'drifted', structural: false }), caseOf('clean', 4, [], { fault: 'drifted', structural: false }),
];
const style = readFileSync('src/page/report.css', 'utf8');
const html = judgmentHtml({ judge: 'a <script>judge</script>', figures: [scoreSplit(cases, 'fresh')], style });

describe('the judgment report', () => {
  test('is one file: nothing is fetched, no script runs, and what a judge or a session is called stays text', () => {
    expect(html).toContain("default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    expect(html).not.toMatch(/@import|<script|<b>shape|https?:/);
    expect(html.startsWith('<!doctype html>')).toBe(true);
  });

  test('its charts say what the figures beside them say', () => {
    // Two of four within the records: the mark stands at half, on the stripe of its interval.
    const found = /<th scope=row>never-tested<td><span class="range found" aria-hidden=true><i style="left:([\d.]+)%;width:([\d.]+)%"><\/i><u style="left:71%"><\/u><b style="left:50%">/.exec(html);
    expect(found).not.toBeNull();
    expect(html).toContain('50 % [15–85] 2/4');
    expect(Number(found?.[1])).toBeCloseTo(15, 0);
    expect(Number(found?.[1]) + Number(found?.[2])).toBeCloseTo(85, 0);
    expect(html).toContain('17 % [3.0–56] 1/6');
    const dots = /<span class="range dots"[^]*?<\/span>/.exec(html)?.[0] ?? '';
    expect([...dots.matchAll(/<b style="left:([\d.]+)%"/g)].map((dot) => dot[1])).toEqual(['3.3', '15', '66.7']);
    expect(dots).toContain('<u style="left:50%">');
  });

  test('a judge that said nothing, and no session at all, make pages too', () => {
    const quiet = judgmentHtml({ judge: 'quiet', figures: [scoreSplit(cases.map((each) => ({ ...each, said: [], scores: [] })), 'fresh')], style });
    expect(quiet).toContain('No lens said anything.');
    expect(judgmentHtml({ judge: 'none', figures: [scoreSplit([], 'fresh')], style })).not.toContain('NaN');
    expect(quiet).not.toMatch(/NaN|Infinity|undefined/);
  });
});

const inChromium = (): void => {
  test.each([{ dark: false, width: 1200 }, { dark: true, width: 1200 }, { dark: false, width: 380 }])('reads well: dark $dark, $width px', async ({ dark, width }) => {
    const file = join(folder, 'page.html');
    writeFileSync(file, html);
    const page = await openPage(pathToFileURL(file).href, { dark, width });
    try {
      expect(page.complaints).toEqual([]);
      expect(page.requests).toEqual([pathToFileURL(file).href]);
      // The page itself never scrolls sideways; what is wide scrolls in a region that keys reach.
      expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(true);
      expect(await page.evaluate<number>('[...document.querySelectorAll(".scroll")].filter((each) => each.tabIndex !== 0 || each.getAttribute("aria-label") === "").length')).toBe(0);
      // Every link leads somewhere, every table is named, and no chart is read aloud.
      expect(await page.evaluate<number>('[...document.querySelectorAll("nav a, .skip")].filter((a) => document.querySelector(a.getAttribute("href")) === null).length')).toBe(0);
      expect(await page.evaluate<number>('[...document.querySelectorAll("table")].filter((each) => !each.caption?.textContent || !each.querySelector("th[scope=row]")).length')).toBe(0);
      expect(await page.evaluate<number>('document.querySelectorAll(".range:not([aria-hidden=true])").length')).toBe(0);
      // The stripe can be told from the page in either scheme.
      const [back, stripe] = await page.evaluate<[string, string]>('[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector(".found b")).backgroundColor]');
      expect(contrast(back, stripe)).toBeGreaterThan(3);
      await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
      expect(await page.evaluate<string>('document.activeElement.className')).toBe('skip');
    } finally {
      await page.close();
    }
  });
};

/** WCAG's contrast of two `rgb(…)`. */
const contrast = (a: string, b: string): number => {
  const light = (text: string): number => {
    const [r = 0, g = 0, blue = 0] = [...text.matchAll(/[\d.]+/g)].map(([value]) => Number(value) / 255).map((value) => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [light(a), light(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};

if (hasChromium()) describe('in Chromium', inChromium);
else test('there is no `chromium` on PATH, so the page was not opened; it is written', () => expect(html.length).toBeGreaterThan(1000));
