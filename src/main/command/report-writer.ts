// Puts a report into its file, with the page's code from beside this program.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { versionAt } from '../entry/runtime.ts';
import { writeWhole } from '../floor/json-file.ts';
import { plain } from '../show/plain.ts';
import type { ReportSource } from '../show/report-model.ts';
import { reportHtml, type ReportInput } from '../show/report.ts';

/** Writes the file whole, readable by its owner alone, or says why it cannot be written there. */
export const writeReport = (path: string, kind: ReportInput['kind'], now: number, sessions: readonly ReportSource[]): { readonly ok: true } | { readonly ok: false; readonly why: string } => {
  const asset = (name: string): string => readFileSync(join(__dirname, name), 'utf8');
  const html = reportHtml({ sessions, kind, now, offset_min: -new Date(now).getTimezoneOffset(), version: versionAt(join(__dirname, '..')), assets: { script: asset('report.js'), style: asset('report-looks.css') } });
  try {
    makeFolder(dirname(path));
    writeWhole(path, html);
    return { ok: true };
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? WHY[String(error.code)] : undefined;
    if (why === undefined) throw error;
    return { ok: false, why: `The report cannot be written to ${plain(path)}: ${why}.` };
  }
};

/** Folder by folder: where the system makes none (below /proc), Node's own recursive way never ends. */
const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
};

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'the disk is read-only',
  EISDIR: 'it is a folder',
  ENOTEMPTY: 'it is a folder',
  ENOTDIR: 'a file stands where a folder should be',
  EEXIST: 'a file stands where a folder should be',
  ENOENT: 'no folder can be made there',
  ELOOP: 'a link leads in a circle',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENAMETOOLONG: 'the name is too long',
};
