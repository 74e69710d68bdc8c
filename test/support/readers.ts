// Every reader of text from outside, as one function of a text that must come back: for generated input and for the corpus.
import { commandIn } from '../../src/main/entry/hook-command.ts';
import { parsePayload } from '../../src/main/entry/hook-payload.ts';
import { installIn, uninstallFrom } from '../../src/main/command/statusline-settings.ts';
import { effective, envLayer, layerOf } from '../../src/main/floor/config.ts';
import { defaultKnobs } from '../../src/main/floor/knobs.ts';
import { redact, redactInPlace } from '../../src/main/floor/redact.ts';
import { createChain } from '../../src/main/ingest/chain.ts';
import { keepCommand } from '../../src/main/ingest/elision.ts';
import { locatorsIn } from '../../src/main/ingest/locators.ts';
import { projectLine } from '../../src/main/ingest/projection.ts';
import { isSealed } from '../../src/main/ingest/sealed.ts';
import { parseSignal } from '../../src/main/ingest/signal.ts';
import { parseCatalogue } from '../../src/main/pass/catalogue.ts';
import { denyRules } from '../../src/main/pass/deny-rules.ts';
import { parseFeedback } from '../../src/main/pass/parse-feedback.ts';
import { parseHostLine } from '../../src/main/pass/host-line.ts';
import { commitLines, definitionLines, definitionPattern, newDefinitions } from '../../src/main/pass/leads.ts';
import { parseServer } from '../../src/main/pass/mcp-config.ts';
import { cappedLines } from '../../src/main/pass/mcp-lines.ts';
import { resultReply, wireName } from '../../src/main/pass/mcp-result.ts';
import { parseQuestions } from '../../src/main/pass/questions.ts';
import { readCommand } from '../../src/main/pass/shell.ts';
import { sanitise, textProblems } from '../../src/main/speak/sanitise.ts';
import { tokensOf } from '../../src/main/speak/similar.ts';
import { anthropicFork } from '../../src/workers/model/anthropic.ts';
import { openaiFork } from '../../src/workers/model/openai.ts';
import { readAnswer } from '../../src/workers/model/sse.ts';
import { compileGlob } from '../../src/workers/tools/glob-pattern.ts';
import { isIgnored, parseIgnore } from '../../src/workers/tools/ignore.ts';
import { providerOf, taskOf } from './fork-task.ts';

export type Reader = (text: string) => void | Promise<void>;

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
/** A parser may refuse by what its caller catches; running out of stack is no refusal. */
const refused = (act: () => unknown): void => {
  try {
    act();
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
  }
};
const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'SubagentStop', 'Stop', 'StopFailure', 'SessionEnd'] as const;
const limits = { ...defaultKnobs().projection, sealed: ['.env', '**/secret/*', '/a/**/b'] };

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

export const READERS = {
  'hook-payload': (text) => {
    for (const event of EVENTS) {
      const payload = parsePayload(text, event, { CLAUDE_CODE_SESSION_ID: 's' });
      if (payload !== undefined) commandIn(payload.prompt);
    }
    commandIn(text);
  },
  transcript: (text) => {
    const chain = createChain();
    const items = text.split('\n').map((line) => projectLine(Buffer.from(line), limits));
    const { observations } = chain.fold(items, 'live');
    for (const { text: shown } of observations) must(shown.isWellFormed(), 'ill-formed');
  },
  config: (text) => {
    const raw = json(text);
    const fields = typeof raw === 'object' && raw !== null ? Object.entries(raw) : [];
    const env = Object.fromEntries(fields.map(([name, value]) => [`SECOND_BRAIN_${name}`, typeof value === 'object' ? '{}' : String(value)]));
    const { knobs } = effective([layerOf('global', raw, 'x'), layerOf('workspace', raw, 'y'), envLayer(env)]);
    must(typeof knobs.gate.rate_per_hour === 'number' && typeof knobs.mute.all === 'boolean', 'knobs');
  },
  catalogue: (text) => {
    const raw = json(text);
    const read = parseCatalogue(raw, (typeof raw === 'object' && raw !== null ? raw : {}) as Parameters<typeof parseCatalogue>[1], () => 'p');
    if (read.ok) for (const { config } of read.detectors) parseQuestions(config);
  },
  sse: async (text) => {
    const folders = [anthropicFork(taskOf(providerOf('anthropic', 'http://127.0.0.1:9')), [], { auto_choice: false }).folder(), openaiFork(taskOf(providerOf('openai', 'http://127.0.0.1:9')), [], { auto_choice: false }).folder()];
    for await (const one of readAnswer(pieces(text))) if (one.kind !== 'done') for (const folder of folders) folder.take(one);
    for (const folder of folders) folder.end();
  },
  mcp: (text) => {
    const take = cappedLines(5000, {
      line: (line) => {
        const value = json(line);
        const { result } = (typeof value === 'object' && value !== null ? value : {}) as { readonly result?: object };
        const reply = resultReply(typeof result === 'object' && result !== null && (!('content' in result) || Array.isArray(result.content)) ? result : {}, true, 1000);
        must(reply.text.length <= 1100 && reply.text.isWellFormed(), 'reply');
      },
      tooLong: () => undefined,
    });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 31) take(bytes.subarray(at, at + 31));
    parseServer(json(text));
    must(/^[\w-]{1,64}$/.test(wireName(text, text)), 'wire name');
  },
  'host-line': (text) => void parseHostLine(text),
  signal: (text) => refused(() => parseSignal(json(text))),
  command: (text) => {
    readCommand(text);
    keepCommand(text, limits);
    locatorsIn(text, 10);
  },
  redact: (text) => {
    must(redact(redact(text)) === redact(text), 'not idempotent');
    const lines = text.split('\n');
    for (const [at, line] of redactInPlace(text).split('\n').entries()) must(line.includes('[redacted:') || lines[at]?.includes(line) !== false, `line ${at} is another`);
  },
  words: (text) => {
    // An order that only the cleaning made is seen again, and not said.
    must(textProblems(sanitise(text, 700)).every((name) => name === 'order'), 'not inert');
    tokensOf(text);
  },
  feedback: (text) => void parseFeedback(json(text)),
  settings: (text) => {
    const edited = installIn(text, '/x/bin/second-brain');
    if (edited.ok) must(uninstallFrom(edited.text, text).ok, 'cannot be taken out');
  },
  names: (text) => {
    const [pattern = '', ...lines] = text.split('\n');
    compileGlob(pattern)?.(lines[0] ?? pattern);
    isIgnored([parseIgnore('', text)], lines.at(-1) ?? '', false);
    isSealed(lines[0] ?? text, [pattern]);
  },
  deny: (text) => void denyRules(json(text), { project: ['/w'], homes: ['/home/me'], settings: '/w/.claude' }),
  leads: (text) => {
    commitLines(text, 1e12, 0);
    const found = newDefinitions([{ n: 1, kind: 'tool', at: 0, uuid: 'u', tool: 'Edit', writes: true, paths: ['/w/a.ts'], text, raw_chars: 0 }], '/w');
    must(definitionPattern(found).length <= 300, 'pattern');
    definitionLines(text, found);
  },
} as const satisfies Readonly<Record<string, Reader>>;
