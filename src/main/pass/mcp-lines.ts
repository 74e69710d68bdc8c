// Lines of a server's output with a cap: what is longer is counted and let go, so that memory stays flat (HAZARDS F3).

export type LineSink = {
  readonly line: (text: string) => void;
  /** A line over the cap: the id of the request it answers where its ends tell, and its bytes. */
  readonly tooLong: (id: number | undefined, bytes: number) => void;
};

/** Takes the chunks of a stream. */
export const cappedLines = (max: number, { line, tooLong }: LineSink): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = [];
  let size = 0;
  let head = '';
  let tail = Buffer.alloc(0);

  const add = (part: Buffer): void => {
    size += part.length;
    if (size <= max) {
      parts.push(part);
      return;
    }
    if (parts.length > 0) {
      head = Buffer.concat(parts).toString('latin1', 0, ENDS);
      parts = [];
    } else if (head === '') head = part.toString('latin1', 0, ENDS);
    tail = Buffer.concat([tail, part.subarray(-ENDS)]).subarray(-ENDS);
  };
  const end = (): void => {
    if (size > max) tooLong(idIn(head, tail.toString('latin1')), size);
    else line(Buffer.concat(parts).toString('utf8'));
    parts = [];
    size = 0;
    head = '';
    tail = Buffer.alloc(0);
  };

  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    if (from < chunk.length) add(Buffer.from(chunk.subarray(from)));
  };
};

const ENDS = 256;

/** JSON-RPC ids stand first or last in a message, as its writer has it. */
const idIn = (head: string, tail: string): number | undefined => {
  const found = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})/.exec(head) ?? /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/.exec(tail);
  return found === null ? undefined : Number(found[1]);
};
