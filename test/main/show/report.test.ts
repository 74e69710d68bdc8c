import { describe, expect, test } from 'vitest';
import { reportHtml, type ReportInput } from '../../../src/main/show/report.ts';
import type { ReportSource } from '../../../src/main/show/report-model.ts';
import { HOSTILE, sessionOf } from '../../support/report-session.ts';

const assets = { script: '/* the page */', style: '/* its looks */' };
const html = (sessions: readonly ReportSource[], over: Partial<ReportInput> = {}): string => reportHtml({ sessions, kind: 'live', now: Date.UTC(2026, 10, 30, 17, 30), offset_min: 60, version: '0.1.0-aa', assets, ...over });

/** The page and our script take some sixty thousand characters more. */
const MOST = 2_900_000;

/** Tags of the page, without what is inside our own scripts and styles. */
const tags = (page: string): readonly string[] => page.replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, '').match(/<[a-z!/][^>]*>/gi) ?? [];

describe('one file that needs nothing', () => {
  const page = html([sessionOf(40)]);
  test('its policy lets nothing in from outside', () => expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"`));
  test('it names no address, and every link stays on the page', () => {
    expect(page).not.toMatch(/https?:|\/\/[a-z]|url\(|@import|<(?:link|img|iframe|object|embed|base|form)\b/i);
    for (const [, target] of page.matchAll(/href="([^"]*)"/g)) expect(page).toContain(`id=${target?.slice(1) ?? '?'}`.replace(/id=s0/, 'id="s0'));
  });
  test('it has a language, a title, landmarks, one first heading, and no two ids alike', () => {
    expect(page).toMatch(/<html lang=en>.*<title>/s);
    for (const part of ['<header>', '<nav aria-label=', '<main id=main', '<footer>']) expect(page).toContain(part);
    expect(page.match(/<h1>/g)).toHaveLength(1);
    const ids = [...page.matchAll(/\sid="?([^"\s>]+)/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
  test('each chart says in words what it shows, and stands before its table', () => {
    for (const kind of ['timeline', 'window', 'tokens', 'money']) expect(page).toMatch(new RegExp(`data-chart=${kind} role=img aria-label="[^"]{40,}"[^]*?<table>`));
  });
  test('times are told in the zone it was written in', () => expect(page).toContain('written 2026-11-30 18:30 (UTC+01:00)'));
});

describe('text from the session', () => {
  const page = html([sessionOf(120, { hostile: true, name: `name ${HOSTILE}` })], { version: HOSTILE });
  test('adds no element, attribute or script', () => {
    const calm = html([sessionOf(120, { name: 'name' })]);
    const shapes = (of: string): readonly string[] => [...new Set(tags(of).map((tag) => tag.replace(/"[^"]*"/g, '""').replace(/\s(id|class)=[^\s>"]+/g, '')))].sort();
    expect(shapes(page)).toEqual(shapes(calm));
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page).not.toMatch(/<img|onerror=alert\(2\)>/);
  });
  test('is shown as text, its controls made visible', () => {
    expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;');
    expect(page).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]/);
  });
  test('leaves the numbers of the charts readable', () => {
    const json = /<script type="application\/json" id="s0-data">([^<]*)<\/script>/.exec(page)?.[1] ?? '';
    expect(JSON.parse(json)).toMatchObject({ lanes: expect.arrayContaining(['Prompts', 'Edits', 'Errors', 'Passes', 'Advice']) });
  });
});

describe('size', () => {
  test.each([[10], [10_000], [100_000]])('%i events stay under three megabytes', (events) => {
    for (const hostile of [false, true]) expect(html([sessionOf(events, { hostile })]).length).toBeLessThan(MOST);
  });
  test('ten events make a page of some tens of kilobytes', () => expect(html([sessionOf(10)]).length).toBeLessThan(60_000));
  test('at 10,000 events every one is in the table', () => {
    const page = html([sessionOf(10_000)]);
    expect(page.match(/<td>edit<td>/g)?.length).toBeGreaterThan(5000);
    expect(page).not.toContain('stand in the chart alone');
  });
  test('at 100,000 it says how many are not', () => expect(html([sessionOf(100_000)])).toMatch(/\d+ earlier events stand in the chart alone/));
  test('ten thousand lines of history are no trouble either', () => {
    const { history } = sessionOf(500);
    const ids = Math.ceil(10_000 / history.length);
    const many = Array.from({ length: ids }, (_, i) => history.map((line) => ({ ...line, id: `${line.id}-${i}`, ...(line.advice === undefined ? {} : { advice: { ...line.advice, id: `${line.id}-${i}`, headline: HOSTILE.repeat(5) } }) }))).flat();
    const page = html([{ ...sessionOf(500), history: many }]);
    expect(page.length).toBeLessThan(MOST);
    expect(page).toMatch(/The newest 150 of \d{4}/);
  });
  test('two hundred busy sessions share the same room', () => {
    const sessions = Array.from({ length: 200 }, (_, i) => sessionOf(3000, { hostile: true, name: `session ${i}` }));
    const page = html(sessions, { kind: 'replay' });
    expect(page.length).toBeLessThan(MOST);
    expect(page).toContain('session 199');
    expect(page.match(/data-session=/g)).toHaveLength(20);
  });
});

describe('several sessions', () => {
  const page = html([sessionOf(50, { name: 'monday' }), sessionOf(80, { name: 'tuesday' }), { name: 'empty', history: [], passes: [] }], { kind: 'replay' });
  test('an overview sums them and lists all advice', () => {
    expect(page).toContain('Second Brain on 3 sessions');
    expect(page).toMatch(/<th scope=row>All<td>/);
    expect(page).toContain('What it would have said and cost');
    expect(page).toMatch(/id=said[^]*The island surcharge is applied twice/);
  });
  test('each unfolds into its own report, its headings a level lower', () => {
    for (const name of ['monday', 'tuesday', 'empty']) expect(page).toMatch(new RegExp(`<details><summary>${name} ·`));
    expect(page).toContain('<h3 id="s1-timeline-h">');
  });
});

describe('little to show', () => {
  test('nothing at all says so', () => expect(html([{ name: 'x', history: [], passes: [] }])).toContain('there is nothing to draw yet'));
  test('no session says so', () => expect(html([], { kind: 'replay' })).toContain('There is none.'));
  test('a session judged by rules has no cost and says why', () => expect(html([sessionOf(20, { local: true })])).toContain('Nothing is sent anywhere, so nothing is paid.'));
  test('damaged lines are told', () => expect(html([{ ...sessionOf(10), bad: 3 }])).toContain('3 damaged lines could not be read.'));
  test('a newer reason or verdict than this program knows is shown as it stands', () => {
    const source = sessionOf(10);
    const history = source.history.map((line) => ({ ...line, ...(line.event === 'outcome' ? { verdict: 'shelved' } : {}) })) as unknown as ReportSource['history'];
    expect(html([{ ...source, history }])).toContain('outcome: shelved');
  });
});
