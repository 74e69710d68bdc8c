import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { build } from 'esbuild';
import { Piscina } from 'piscina';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectLine } from '../../src/main/ingest/projection.ts';
import { cutRanges, positionAt, readForward } from '../../src/main/ingest/transcript-file.ts';
import type { Position, Projected } from '../../src/main/records.ts';
import compute from '../../src/workers/compute.ts';
import { decode, encode, type ComputeTask, type ProjectionLimits, type ProjectResult } from '../../src/workers/contract.ts';
import { defaultKnobs } from '../../src/main/floor/knobs.ts';

const LIMITS: ProjectionLimits = { ...defaultKnobs().projection, sealed: ['**/.env'] };
const PARALLEL_BYTES = defaultKnobs().ingest.parallel_bytes;

let folder: string;
let path: string;
let pool: Piscina;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sb-compute-'));
  path = join(folder, 'session.jsonl');
  await writeSession(path, 20_000_000);
  await build({ entryPoints: { compute: 'src/workers/compute.ts' }, outdir: folder, bundle: true, platform: 'node', target: 'node20.19', format: 'cjs', outExtension: { '.js': '.cjs' }, logLevel: 'silent' });
  pool = new Piscina({ filename: join(folder, 'compute.cjs'), atomics: 'async', minThreads: 0, maxThreads: 2 });
});
afterAll(async () => {
  await pool.destroy();
  rmSync(folder, { recursive: true, force: true });
});

/** Agent texts, calls, results and now and then damage, with characters of every width. */
const writeSession = async (to: string, bytes: number): Promise<void> => {
  const out = createWriteStream(to);
  const common = { sessionId: 's1', timestamp: '2026-01-01T00:00:00.000Z', isSidechain: false };
  let parent: string | null = null;
  for (let i = 0, written = 0; written < bytes; i += 1) {
    const words = `step ${i} 家 🧠 `.repeat(1 + (i % 97) * 4);
    const message: unknown = [
      { role: 'assistant', id: `m${i}`, content: [{ type: 'text', text: words }], usage: { input_tokens: 1, output_tokens: i } },
      { role: 'assistant', id: `m${i}`, content: [{ type: 'tool_use', id: `t${i}`, name: 'Bash', input: { command: `echo "${words}"`, description: 'says it' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${i - 1}`, content: words, is_error: i % 5 === 0 }] },
    ][i % 3];
    const line: string = i % 500 === 499 ? '{"type":"assistant","message":' : JSON.stringify({ parentUuid: parent, type: i % 3 === 2 ? 'user' : 'assistant', message, uuid: `u${i}`, ...common });
    if (i % 500 !== 499) parent = `u${i}`;
    written += Buffer.byteLength(line) + 1;
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
};

const onMain = (): { readonly items: readonly Projected[]; readonly bad: number; readonly position: Position } => {
  const items: Projected[] = [];
  let bad = 0;
  let position: Position | undefined;
  for (;;) {
    const read = readForward(path, position, { project: (line) => projectLine(line, LIMITS), max_bytes: PARALLEL_BYTES, history_chars: 0, fresh: true });
    if (read.how === 'missing' || read.how === 'not-a-transcript') throw new Error(read.because);
    items.push(...read.items);
    bad += read.bad_lines;
    ({ position } = read);
    if (read.left === 0) return { items, bad, position };
  }
};

const task = (from: number, to: number): ComputeTask => ({ kind: 'project', path, from, to, limits: LIMITS });

describe('the compute pool', () => {
  test('ranges projected in threads give byte for byte what the main thread gives', async () => {
    const main = onMain();
    const ranges = cutRanges(path, 0, 30_000_000, PARALLEL_BYTES);
    const answers = await Promise.all(
      ranges.map(async ({ from, to }) => {
        const bytes = encode(task(from, to));
        return decode<ProjectResult>((await pool.run(bytes, { transferList: [bytes.buffer] })) as Uint8Array);
      }),
    );
    const items = answers.flatMap((answer) => answer.items);
    expect(ranges.length).toBeGreaterThan(8);
    expect(items.length).toBe(main.items.length);
    expect(Buffer.compare(encode(items), encode(main.items))).toBe(0);
    expect(answers.reduce((sum, { bad_lines }) => sum + bad_lines, 0)).toBe(main.bad);
    expect(main.bad).toBeGreaterThan(0);
    expect(positionAt(path, ranges.at(-1)?.to ?? 0, main.position.uuid)).toEqual(main.position);
  });

  test('called without a thread it answers the same', async () => {
    const [range] = cutRanges(path, 0, 1_000_000, 300_000);
    const bytes = encode(task(range?.from ?? 0, range?.to ?? 0));
    expect(Buffer.compare(await compute(bytes.slice()), (await pool.run(bytes.slice())) as Uint8Array)).toBe(0);
  });

  test('a task that fails is a rejection, and the thread goes on', async () => {
    await expect(pool.run(encode({ ...task(0, 10), path: join(folder, 'gone') }))).rejects.toThrow(/ENOENT/);
    await expect(pool.run(encode({ kind: 'constructor' }))).rejects.toThrow(/no such task/);
    await expect(pool.run(encode({ kind: 'unheard-of' }))).rejects.toThrow(/no such task/);
    const small = join(folder, 'small');
    writeFileSync(small, '\0\0\n');
    expect(decode<ProjectResult>((await pool.run(encode({ ...task(0, 3), path: small }))) as Uint8Array).bad_lines).toBe(1);
  });
});
