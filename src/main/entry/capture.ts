// debug.enabled: every pass's prefix and forks as files, written as they happen (SPEC 12). Mechanical: no model takes part.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../floor/failure.ts';
import type { Knobs } from '../floor/knobs.ts';
import { safeName, type Paths } from '../floor/paths.ts';
import { redact } from '../floor/redact.ts';
import { sweepCaptures } from './sweep.ts';

export type CaptureOptions = { readonly paths: Paths; readonly session: string; readonly knobs: () => Pick<Knobs, 'debug'>; readonly log: (line: string) => void };

/** A writer for one pass, or nothing while captures are off. A disk that refuses ends the capture, never the pass. */
export const openCapture = ({ paths, session, knobs, log }: CaptureOptions) => (pass: number): ((name: string, text: string) => void) | undefined => {
  const { debug } = knobs();
  if (!debug.enabled) return undefined;
  const root = debug.path === '' ? paths.debug : debug.path;
  const folder = join(root, safeName(session), String(pass));
  let broken = false;
  let size = 0;
  for (const line of sweepCaptures(root, debug, Date.now())) log(line);
  return (name, text) => {
    if (broken) return;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${safeName(name)}.txt`);
      // What a fork's tools read was redacted before; replies were not.
      if (size + text.length > debug.max_bytes) return;
      appendFileSync(path, `${redact(text)}\n`, { mode: 0o600 });
      size += text.length;
    } catch (error) {
      broken = true;
      log(`the capture of pass ${pass} stopped: ${messageOf(error)}`);
    }
  };
};
