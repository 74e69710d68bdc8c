// Makes transcripts of any size for benchmarks: seeded, shaped like the host's (2.1.332), with the volumes of long real sessions.
//   node .cache/bench/corpus.mjs SIZE_MB OUT [--seed N]
import { closeSync, openSync, writeSync } from 'node:fs';
import { makeText, type TextSource } from './corpus-text.ts';

export type CorpusOptions = { readonly bytes: number; readonly seed?: number };

/** What was written: `chars` counts content only, without envelopes and without the structured copies of results. */
export type CorpusFigures = {
  readonly bytes: number;
  readonly records: number;
  readonly chars: Readonly<Record<Kind, number>>;
  readonly results: number;
  readonly failed: number;
  readonly long_lines: number;
};

export type Kind = 'result' | 'args' | 'text' | 'prompt';

/** Shares of the content's characters, failures and sizes, as measured on real sessions (PERF 2). */
export const SHARES: Readonly<Record<Kind, number>> = { result: 0.478, args: 0.347, text: 0.108, prompt: 0.067 };
export const FAILED_SHARE = 0.08;
export const SMALLEST = 700;
export const LARGEST = 20_000;
// A line of about 1 MB every 10.5 MB. A result is in its record twice, so it gets half.
export const LONG_EVERY = 10_500_000;
export const LONG_CHARS = 1_000_000;

/** Writes a transcript of at least `bytes` bytes to `path`. The same options give the same file. */
export const writeCorpus = (path: string, options: CorpusOptions): CorpusFigures => writeLines(path, corpusLines(options));

/** Writes what `lines` gives, each with its newline; returns what it ends with. */
export const writeLines = <T>(path: string, lines: Generator<string, T>): T => {
  const file = openSync(path, 'w');
  try {
    let pending: string[] = [];
    let size = 0;
    for (;;) {
      const next = lines.next();
      if (!next.done) {
        pending.push(next.value);
        size += next.value.length;
      }
      if (next.done || size > 4_000_000) {
        if (pending.length > 0) writeSync(file, `${pending.join('\n')}\n`);
        pending = [];
        size = 0;
      }
      if (next.done) return next.value;
    }
  } finally {
    closeSync(file);
  }
};

/** The same, line by line, without newlines. */
export function* corpusLines(options: CorpusOptions): Generator<string, CorpusFigures> {
  const text = makeText(options.seed ?? 1);
  const session = makeSession(text);
  const chars: Record<Kind, number> = { result: 0, args: 0, text: 0, prompt: 0 };
  const counts = { bytes: 0, records: 0, results: 0, failed: 0, long_lines: 0 };
  const behind = (kind: Kind): boolean => chars[kind] < SHARES[kind] * (chars.result + chars.args + chars.text + chars.prompt + 1);
  const length = (): number => Math.round(SMALLEST * (LARGEST / SMALLEST) ** text.random());
  const emit = (record: object): string => {
    const line = JSON.stringify(record);
    counts.bytes += Buffer.byteLength(line) + 1;
    counts.records += 1;
    return line;
  };
  for (const record of session.opening()) yield emit(record);
  while (counts.bytes < options.bytes) {
    const prompt = text.prose(behind('prompt') ? length() : 80);
    chars.prompt += prompt.length;
    for (const record of session.prompt(prompt)) yield emit(record);
    while (counts.bytes < options.bytes) {
      const isLong = counts.bytes > LONG_EVERY * (counts.long_lines + 0.5);
      const said = behind('text') ? text.prose(length()) : text.prose(60);
      // Whichever is behind is the large side of the call: a change with a short answer, or a question with a long one.
      const changes = isLong ? counts.long_lines % 4 === 3 : !behind('result');
      const call = changes ? text.change(isLong ? LONG_CHARS : length()) : text.question();
      const failed = !isLong && text.random() < FAILED_SHARE;
      const output = changes && !failed ? `The file ${call.path} has been updated successfully.` : text.output(isLong ? LONG_CHARS / 2 : length());
      if (isLong) counts.long_lines += 1;
      chars.text += said.length;
      chars.args += JSON.stringify(call.input).length;
      chars.result += output.length;
      counts.results += 1;
      if (failed) counts.failed += 1;
      for (const record of session.step(said, call, output, failed)) yield emit(record);
      if (behind('prompt') && text.random() < 0.5) break;
    }
    for (const record of session.end()) yield emit(record);
  }
  return { ...counts, chars };
}

type Call = ReturnType<TextSource['change']>;

/** The envelopes: uuid chain, message ids, usage, and the bookkeeping records between. */
const makeSession = (text: TextSource) => {
  const id = text.uuid();
  let parent: string | null = null;
  let at = Date.UTC(2026, 2, 2, 9);
  let prompts = 0;
  let promptId = '';
  let context = 12_000;
  const now = (): string => new Date((at += 400 + Math.floor(text.random() * 12_000))).toISOString();
  const chained = (fields: object, own: string = text.uuid()): object => {
    const record = {
      parentUuid: parent, isSidechain: false, ...fields, uuid: own, timestamp: now(),
      userType: 'external', entrypoint: 'cli', cwd: '/home/dev/project', sessionId: id, version: '2.1.332', gitBranch: 'main',
    };
    parent = own;
    return record;
  };
  const bookkeeping = (): readonly object[] => [
    { type: 'ai-title', aiTitle: 'A long session', sessionId: id },
    { type: 'mode', mode: 'normal', sessionId: id },
    { type: 'permission-mode', permissionMode: 'acceptEdits', sessionId: id },
  ];
  return {
    // Real files start with 60–70 kB of what the host tells its model.
    opening: (): readonly object[] => [
      ...bookkeeping(),
      chained({ attachment: { type: 'prompt_snapshot', systemPrompt: [text.prose(30_000), text.prose(30_000)] }, type: 'attachment' }),
      chained({ attachment: { type: 'date', date: '2026-03-02' }, type: 'attachment' }),
    ],
    prompt: (content: string): readonly object[] => {
      promptId = text.uuid();
      prompts += 1;
      const turnPosition = { promptIndex: prompts, turnIndex: prompts };
      return [chained({ promptId, type: 'user', message: { role: 'user', content }, permissionMode: 'acceptEdits', origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human', turnPosition })];
    },
    step: (said: string, call: Call, output: string, failed: boolean): readonly object[] => {
      const toolUse = text.id('toolu_01');
      const written = Math.ceil((said.length + output.length) / 4);
      const usage = {
        input_tokens: 3, cache_creation_input_tokens: written, cache_read_input_tokens: context, output_tokens: Math.ceil(said.length / 4) + 40,
        server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 }, service_tier: 'standard',
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: written },
      };
      context = (context + written) % 180_000;
      const envelope = { id: text.id('msg_01'), type: 'message', role: 'assistant', model: 'claude-opus-5-5' };
      const ending = { stop_reason: 'tool_use', stop_sequence: null, usage };
      const request = { requestId: text.id('req_01'), requestedModel: 'claude-opus-5-5' };
      const caller = text.uuid();
      const content = failed ? `Exit code 1\n${output}` : output;
      const result = { tool_use_id: toolUse, type: 'tool_result', content, ...(failed ? { is_error: true } : call.name === 'Bash' ? { is_error: false } : {}) };
      return [
        { type: 'api-request', sessionId: id, id: text.uuid(), timestamp: now(), version: '2.1.332', querySource: 'repl_main_thread', params: { model: 'claude-opus-5-5', max_tokens: 128_000 }, keep: 2, tail: [text.id(''), text.id('')] },
        chained({ message: { ...envelope, content: [{ type: 'text', text: said }], ...ending }, apiBlockIndex: 0, ...request, type: 'assistant' }),
        chained({ message: { ...envelope, content: [{ type: 'tool_use', id: toolUse, name: call.name, input: call.input }], ...ending }, apiBlockIndex: 1, ...request, type: 'assistant' }, caller),
        chained({
          promptId, type: 'user', message: { role: 'user', content: [result] },
          toolUseResult: failed ? `Error: ${content}` : structured(call, output), sourceToolAssistantUUID: caller,
          permissionDecision: { decision: 'accept', source: 'config', reasonType: 'rule', ruleSource: 'cliArg' },
        }),
      ];
    },
    end: (): readonly object[] => [
      chained({ type: 'system', subtype: 'turn_duration', durationMs: 60_000, isMeta: false }),
      { type: 'last-prompt', lastPrompt: 'Go on.', leafUuid: parent, sessionId: id },
      ...bookkeeping(),
    ],
  };
};

/** The structured copy of a result that the host keeps beside the text. */
const structured = (call: Call, output: string): object => {
  if (call.name === 'Bash') return { stdout: output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
  const lines = (text: string): number => text.split('\n').length;
  if (call.name === 'Read') return { type: 'text', file: { filePath: call.path, content: output, numLines: lines(output), startLine: 1, totalLines: lines(output) } };
  const patch = [{ oldStart: 88, oldLines: 3, newStart: 88, newLines: 7, lines: [' one', '-two', '+three'] }];
  return { filePath: call.path, originalFile: null, structuredPatch: call.name === 'Edit' ? patch : [], userModified: false };
};

const main = (): void => {
  const [size, out, flag, seed] = process.argv.slice(2);
  if (size === undefined || out === undefined || !(Number(size) > 0)) {
    console.error('usage: node .cache/bench/corpus.mjs SIZE_MB OUT [--seed N]');
    process.exitCode = 2;
    return;
  }
  console.log(JSON.stringify(writeCorpus(out, { bytes: Number(size) * 1_000_000, seed: flag === '--seed' ? Number(seed) : 1 })));
};

// Other benchmarks bundle this file for its functions.
if (process.argv[1]?.endsWith('/corpus.mjs') === true) main();
