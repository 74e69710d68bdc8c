// A headless Chromium, driven over a pipe: what a page logs, asks for, and is like to a keyboard and a screen reader.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** Whether there is a `chromium` to start. */
export const hasChromium = (): boolean => spawnSync('chromium', ['--version'], { stdio: 'ignore' }).status === 0;

type Json = Readonly<Record<string, unknown>>;
type Message = { readonly id?: number; readonly method?: string; readonly params?: Json; readonly result?: Json; readonly error?: { readonly message: string } };

export type Page = {
  readonly send: (method: string, params?: Json) => Promise<Json>;
  /** The value of an expression in the page, as JSON. */
  readonly evaluate: <T>(expression: string) => Promise<T>;
  /** Everything the page or the browser complained of, and every address that was asked for. */
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
  readonly screenshot: (whole: boolean) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
};

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--remote-debugging-pipe', '--hide-scrollbars'];

export type Look = { readonly width?: number; readonly height?: number; readonly dark?: boolean };

/** A fresh browser on the address, loaded and settled. */
export const openPage = async (url: string, { width = 1200, height = 900, dark = false }: Look = {}): Promise<Page> => {
  const profile = mkdtempSync(join(tmpdir(), 'sb-chromium-'));
  const child = spawn('chromium', [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const input = child.stdio[3] as Writable;
  const output = child.stdio[4] as Readable;
  const waiting = new Map<number, { readonly resolve: (result: Json) => void; readonly reject: (error: Error) => void }>();
  const listeners: ((message: Message) => void)[] = [];
  const complaints: string[] = [];
  const requests: string[] = [];
  let next = 0;
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) heard(JSON.parse(part) as Message);
  });
  const heard = (message: Message): void => {
    const asked = message.id === undefined ? undefined : waiting.get(message.id);
    if (asked !== undefined && message.id !== undefined) {
      waiting.delete(message.id);
      if (message.error === undefined) asked.resolve(message.result ?? {});
      else asked.reject(new Error(message.error.message));
      return;
    }
    const { method = '', params = {} } = message;
    if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded' || (method === 'Runtime.consoleAPICalled' && params['type'] !== 'log')) complaints.push(JSON.stringify(params));
    if (method === 'Page.javascriptDialogOpening') complaints.push(`dialog: ${JSON.stringify(params)}`);
    if (method === 'Network.requestWillBeSent') requests.push(String((params['request'] as Json)['url']));
    for (const listener of listeners) listener(message);
  };
  const call = (method: string, params: Json, session?: string): Promise<Json> =>
    new Promise((resolve, reject) => {
      next += 1;
      waiting.set(next, { resolve, reject });
      input.write(`${JSON.stringify({ id: next, method, params, ...(session === undefined ? {} : { sessionId: session }) })}\0`);
    });
  const { targetInfos } = await call('Target.getTargets', {});
  const target = (targetInfos as readonly Json[]).find(({ type }) => type === 'page')?.['targetId'];
  const { sessionId } = await call('Target.attachToTarget', { targetId: target, flatten: true });
  const send = (method: string, params: Json = {}): Promise<Json> => call(method, params, String(sessionId));
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
  const loaded = new Promise<void>((resolve) => listeners.push(({ method }) => method === 'Page.loadEventFired' && resolve()));
  await send('Page.navigate', { url });
  await loaded;
  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  };
  // Two frames: charts are painted after the script has run.
  await evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))');
  return {
    send, evaluate, complaints, requests,
    screenshot: async (whole) => {
      const { data } = await send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: whole });
      return Buffer.from(String(data), 'base64');
    },
    close: async () => {
      await call('Browser.close', {}).catch(() => child.kill('SIGKILL'));
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
