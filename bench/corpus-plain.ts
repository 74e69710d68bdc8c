// A transcript of contents alone, as the goals for projection were set on: the same texts, but half as many records, each in a
// thin envelope, results told once, and none of the host's bookkeeping.
import { FAILED_SHARE, LARGEST, LONG_CHARS, LONG_EVERY, SHARES, SMALLEST, writeLines, type CorpusOptions, type Kind } from './corpus.ts';
import { makeText } from './corpus-text.ts';

/** Writes at least `bytes` bytes to `path`; returns how many records they are. */
export const writePlainCorpus = (path: string, options: CorpusOptions): number => writeLines(path, plainLines(options));

function* plainLines({ bytes, seed = 1 }: CorpusOptions): Generator<string, number> {
  const text = makeText(seed);
  const chars: Record<Kind, number> = { result: 0, args: 0, text: 0, prompt: 0 };
  const kinds = Object.keys(SHARES) as Kind[];
  const session = text.uuid();
  let parent: string | null = null;
  let written = 0;
  let records = 0;
  let long = 0;
  for (; written < bytes; records += 1) {
    // Whichever is furthest behind its share.
    const kind = kinds.reduce((least, each) => (chars[each] / SHARES[each] < chars[least] / SHARES[least] ? each : least));
    const isLong = (kind === 'result' || kind === 'args') && written > LONG_EVERY * (long + 0.5);
    if (isLong) long += 1;
    const length = isLong ? LONG_CHARS : Math.round(SMALLEST * (LARGEST / SMALLEST) ** text.random());
    const content = contentOf(kind, length, text);
    chars[kind] += kind === 'args' ? JSON.stringify(content[0]?.input).length : length;
    const uuid = text.uuid();
    const role = kind === 'text' || kind === 'args' ? 'assistant' : 'user';
    const line = JSON.stringify({ type: role, message: { role, content }, uuid, parentUuid: parent, sessionId: session, timestamp: new Date(Date.UTC(2026, 2, 2, 9) + 5000 * records).toISOString() });
    parent = uuid;
    written += Buffer.byteLength(line) + 1;
    yield line;
  }
  return records;
}

type Block = { readonly type: string; readonly input?: object; readonly [field: string]: unknown };

const contentOf = (kind: Kind, length: number, text: ReturnType<typeof makeText>): readonly Block[] => {
  if (kind === 'text' || kind === 'prompt') return [{ type: 'text', text: text.prose(length) }];
  if (kind === 'result') return [{ type: 'tool_result', tool_use_id: text.id('toolu_'), content: text.output(length), is_error: text.random() < FAILED_SHARE }];
  const { name, input } = text.change(length);
  return [{ type: 'tool_use', id: text.id('toolu_'), name, input }];
};
