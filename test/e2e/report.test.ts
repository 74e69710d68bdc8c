// The report as a person meets it: written by the built program, opened from disk in a real browser where there is one.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appendLine } from '../../src/main/floor/jsonl-file.ts';
import { pathsUnder } from '../../src/main/floor/paths.ts';
import { hasChromium, openPage, type Page } from '../support/browser.ts';
import { makeWorld, runHook, sample } from '../support/hook-run.ts';
import { sessionOf } from '../support/report-session.ts';

const COMMAND = join(process.cwd(), 'plugin', 'dist', 'command.cjs');
const SESSIONS = 'test/fixtures/sessions';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "sb report é' -"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const sb = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8', cwd: dir, env: { PATH: process.env['PATH'] ?? '', HOME: dir, TZ: 'UTC' }, maxBuffer: 1e9 });
  return { status, stdout, stderr };
};

/** A data directory as a session of so many events leaves it. */
const watched = (session: string, events: number, hostile = false): string => {
  const data = join(dir, `data-${session}`);
  const paths = pathsUnder(data);
  const { passes, history } = sessionOf(events, { hostile });
  for (const line of passes) appendLine(paths.passes(session), line);
  for (const line of history) appendLine(paths.history(session), line);
  return data;
};

describe('report', () => {
  test('writes the session it is told and prints where; the file is its owner’s alone', () => {
    const data = watched('live', 60);
    const { status, stdout, stderr } = sb('report', '--data', data, '--session', 'live');
    const path = join(data, 'reports', 'live.html');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')[0]).toBe(`The report of this session is ${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(/^<!doctype html>[^]*The MIT License[^]*<\/html>\n$/);
  });
  test('goes where --out says, a path of the caller’s', () => {
    const data = watched('elsewhere', 12);
    expect(sb('report', '--data', data, '--session', 'elsewhere', '--out', 'my report.html').status).toBe(0);
    expect(existsSync(join(dir, 'my report.html'))).toBe(true);
    expect(existsSync(join(data, 'reports'))).toBe(false);
  });
  test('a session nobody watched, a place that cannot be written, wrong words: a sentence each', () => {
    const data = watched('odd', 12);
    expect(sb('report', '--data', data, '--session', 'unknown')).toMatchObject({ status: 1, stdout: 'Nothing is on record of session unknown.\n' });
    expect(sb('report', '--data', data, '--session', 'odd', '--out', data)).toMatchObject({ status: 3, stdout: expect.stringContaining('cannot be written') });
    expect(sb('report', 'something', '--data', data)).toMatchObject({ status: 2, stdout: expect.stringContaining('Use: report') });
  });
  test('typed in the prompt it answers with the path, in place of a turn', async () => {
    const world = makeWorld();
    try {
      for (const line of sessionOf(2000).passes) appendLine(world.paths.passes(world.session), line);
      const payload = sample('UserPromptSubmit', { session_id: world.session, cwd: world.project, prompt: '/second-brain:second-brain-report' });
      const { code, stdout } = await runHook(join(process.cwd(), 'plugin', 'dist', 'guard.sh'), [world.data, 'UserPromptSubmit'], world.env, JSON.stringify(payload));
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ decision: 'block', reason: expect.stringContaining(`is ${world.paths.report(world.session)}\n`) });
      expect(existsSync(world.paths.report(world.session))).toBe(true);
    } finally {
      world.remove();
    }
  });
  test('damaged files are no obstacle', () => {
    const data = watched('damaged', 12);
    appendLine(pathsUnder(data).passes('damaged'), { v: 1, nonsense: true });
    appendLine(pathsUnder(data).status('damaged'), { v: 99 });
    expect(sb('report', '--data', data, '--session', 'damaged').status).toBe(0);
    expect(readFileSync(join(data, 'reports', 'damaged.html'), 'utf8')).toContain('1 damaged line could not be read.');
  });
});

describe('replay --report', () => {
  test('a recorded session: its prompts, edits, errors and passes, and what would have been said', () => {
    const out = join(dir, 'one.html');
    expect(sb('replay', join(process.cwd(), SESSIONS, 'repeat-failure.jsonl'), '--report', out).stderr).toBe(`Report: ${out}\n`);
    const page = readFileSync(out, 'utf8');
    const json = /id="s0-data">([^<]*)</.exec(page)?.[1] ?? '{}';
    const data = JSON.parse(json) as { readonly lanes: readonly string[]; readonly events: readonly number[]; readonly bars: readonly number[] };
    const inLane = (name: string): number => data.events.filter((lane, i) => i % 2 === 0 && data.lanes[lane] === name).length;
    for (const lane of ['Prompts', 'Edits', 'Errors', 'Passes', 'Advice']) expect(inLane(lane), lane).toBeGreaterThan(0);
    expect(inLane('Errors')).toBeGreaterThanOrEqual(4);
    expect(data.bars.length).toBeGreaterThan(0);
    expect(page).toContain('judged by local (rules, no model, no network)');
    expect(page).toMatch(/id="s0-advice"[^]*said to the agent and the user/);
  });
  test('a place where nothing can be written is named, also one where no folder can be made', () => {
    const why = (out: string): string => sb('replay', join(process.cwd(), SESSIONS, 'clean.jsonl'), '--report', out).stderr;
    expect(why(dir)).toBe(`The report cannot be written to ${dir}: it is a folder.\n`);
    expect(why(join(process.execPath, 'x.html'))).toContain('a file stands where a folder should be.');
    if (process.platform === 'linux') expect(why('/proc/none/x.html')).toContain('no folder can be made there.');
  });
  test('a folder: every session in one file, and the JSON on stdout as without it', () => {
    const folder = join(dir, 'week');
    mkdirSync(folder);
    for (const name of ['clean', 'no-tests']) cpSync(join(SESSIONS, `${name}.jsonl`), join(folder, `${name}.jsonl`));
    const out = join(dir, 'week.html');
    const { stdout, status } = sb('replay', folder, '--json', '--report', out);
    expect(status).toBe(0);
    for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('type');
    expect(readFileSync(out, 'utf8')).toMatch(/Second Brain on 2 sessions[^]*>clean<[^]*>no-tests</);
  });
});

const inChromium = (): void => {
  const pages = new Map<string, Page>();
  const open = async (session: string, events: number, dark: boolean): Promise<Page> => {
    const known = pages.get(session);
    if (known !== undefined) return known;
    const data = watched(session, events, session === 'many');
    expect(sb('report', '--data', data, '--session', session).status).toBe(0);
    const page = await openPage(pathToFileURL(join(data, 'reports', `${session}.html`)).href, { dark });
    pages.set(session, page);
    return page;
  };
  afterAll(async () => {
    for (const page of pages.values()) await page.close();
  });

  const cases = [['few', 10, false], ['many', 10_000, true]] as const;

  test.each(cases)('%s events: nothing is complained of, nothing is asked for, nothing in it comes alive', async (session, events, dark) => {
    const page = await open(session, events, dark);
    expect(page.complaints).toEqual([]);
    expect(page.requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
    expect(page.requests).toHaveLength(1);
    expect(await page.evaluate('document.images.length + document.querySelectorAll("[onerror],[onmouseover],iframe,object").length')).toBe(0);
  });

  test.each(cases)('%s events: every chart is drawn, in colours of the reader’s choice, and nothing is wider than the page', async (session, events, dark) => {
    const page = await open(session, events, dark);
    const inked = await page.evaluate<readonly number[]>(`[...document.querySelectorAll('.chart canvas')].map((canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.reduce((n, v, i) => n + (i % 4 === 3 && v > 0 ? 1 : 0), 0))`);
    expect(inked).toHaveLength(4);
    for (const pixels of inked) expect(pixels).toBeGreaterThan(1000);
    const light = await page.evaluate<number>(`Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])`);
    expect(light > 128).toBe(!dark);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  test('a screen reader finds the landmarks, headings, tables and what each chart says', async () => {
    const page = await open('few', 10, false);
    await page.send('Accessibility.enable');
    const { nodes } = (await page.send('Accessibility.getFullAXTree')) as { readonly nodes: readonly { readonly ignored?: boolean; readonly role?: { readonly value: string }; readonly name?: { readonly value: string } }[] };
    const named = (role: string): readonly string[] => nodes.filter((node) => node.ignored !== true && node.role?.value === role).map(({ name }) => name?.value ?? '');
    for (const role of ['banner', 'navigation', 'main', 'contentinfo']) expect(named(role), role).toHaveLength(1);
    expect(named('heading')).toEqual(expect.arrayContaining(['Timeline', 'Advice and its outcome', 'Passes, fork by fork', 'Window', 'Tokens', 'Cost', 'Cache per detector', 'Gate', 'Volume per tool']));
    expect(named('image').filter((name) => name.length > 40)).toHaveLength(4);
    expect(named('button')).toEqual(['Closer', 'Wider', 'Earlier', 'Later', 'All']);
    expect(named('table').length).toBeGreaterThan(1);
    for (const name of named('table')) expect(name).not.toBe('');
  });

  test('the keyboard goes to the skip link, the contents, the zoom, then each thing to open, in the order of the page', async () => {
    const page = await open('few', 10, false);
    const seen: string[] = [];
    for (let i = 0; i < 24; i += 1) {
      await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
      await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
      seen.push(await page.evaluate<string>('document.activeElement.textContent.slice(0, 24)'));
    }
    expect(seen.slice(0, 16)).toEqual(['To the report', 'Timeline', 'Advice', 'Passes', 'Window', 'Tokens', 'Cost', 'Cache', 'Gate', 'Volume', 'Closer', 'Wider', 'Earlier', 'Later', 'All', 'All events as a table (1']);
    expect(seen.slice(16).join('|')).toMatch(/pass 1.*Window as a table.*Tokens as a table.*Cost as a table/);
  });

  test('the zoom moves all charts, and back to the whole', async () => {
    const page = await open('many', 10_000, true);
    const picture = (): Promise<readonly string[]> => page.evaluate(`[...document.querySelectorAll('.chart canvas')].map((canvas) => canvas.toDataURL())`);
    const press = (name: string): Promise<unknown> => page.evaluate(`document.querySelector('[data-zoom=${name}]').click(); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
    const whole = await picture();
    for (const name of ['in', 'in', 'later']) await press(name);
    const near = await picture();
    near.forEach((chart, i) => expect(chart).not.toBe(whole[i]));
    await press('all');
    expect(await picture()).toEqual(whole);
  });

  test('on paper it is light, and what can only be pressed is gone', async () => {
    const page = await open('many', 10_000, true);
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await page.send('Emulation.setEmulatedMedia', { media: 'print' });
    expect(await page.evaluate(`[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.tools')).display]`)).toEqual(['rgb(255, 255, 255)', 'none']);
    await page.send('Emulation.setEmulatedMedia', { media: '' });
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await page.evaluate('document.documentElement.dataset.paper === undefined')).toBe(true);
  });
};

if (hasChromium()) describe('the page in Chromium', inChromium);
else test('there is no `chromium` on PATH, so the page was not opened; its code is there', () => expect(existsSync('plugin/dist/report.js')).toBe(true));
