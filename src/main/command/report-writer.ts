// Puts a report into its file, with the page's code from beside this program.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { versionAt } from '../entry/runtime.ts';
import { isCode, writeWhole } from '../floor/json-file.ts';
import { plain } from '../show/plain.ts';
import type { ReportSource } from '../show/report-model.ts';
import { reportHtml, type ReportInput } from '../show/report.ts';

/** Writes the file whole, readable by its owner alone, or says why it cannot be written there. */
export const writeReport = (path: string, kind: ReportInput['kind'], now: number, sessions: readonly ReportSource[]): { readonly ok: true } | { readonly ok: false; readonly why: string } => {
  const asset = (name: string): string => readFileSync(join(__dirname, name), 'utf8');
  const html = reportHtml({ sessions, kind, now, offset_min: -new Date(now).getTimezoneOffset(), version: versionAt(join(__dirname, '..')), assets: { script: asset('report.js'), style: asset('report-looks.css') } });
  try {
    writeWhole(path, html);
    return { ok: true };
  } catch (error) {
    if (!isCode(error, 'EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR', 'ENOSPC', 'EEXIST', 'ENAMETOOLONG')) throw error;
    return { ok: false, why: `The report cannot be written to ${plain(path)}: ${error instanceof Error ? error.message.split(',')[0] : ''}` };
  }
};
