// `statusline --install` and `--uninstall`: our segment in the user's settings, around the status line they have.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installRuntime } from '../entry/runtime.ts';
import { writeLog } from '../floor/log-file.ts';
import { hostConfigDir } from '../floor/data-dir-file.ts';
import { fit } from '../show/plain.ts';
import { NO_PLACE, openPlace, widthOf, type Place } from './place.ts';
import { readSettings, removeSettings, replaceSettings } from './settings-file.ts';
import { installIn, uninstallFrom } from './statusline-settings.ts';
import { printSegment } from './statusline.ts';
import type { Words } from './words.ts';

export const statuslineCommand = async (words: Words): Promise<number> => {
  const { install, uninstall, wrap, data, session } = words.flags;
  const text = (flag: string | boolean | undefined): string | undefined => (typeof flag === 'string' ? flag : undefined);
  if (install !== true && uninstall !== true) {
    await printSegment({ data: text(data), session: text(session), wrap: text(wrap) });
    return 0;
  }
  const settings = join(hostConfigDir(process.env, homedir()), 'settings.json');
  // Also when the plugin and its data have gone already.
  if (uninstall === true) return say(uninstalled(settings));
  const place = openPlace(words);
  return place === undefined ? NO_PLACE : say(installed(place, settings));
};

type Said = readonly [text: string, code: number];

const say = ([said, code]: Said): number => {
  process.stdout.write(`${fit(said, widthOf(process.env))}\n`);
  return code;
};

const installed = ({ paths }: Place, path: string): Said => {
  const settings = readSettings(path);
  const edited = installIn(settings.text ?? '', paths.launcher);
  if (!edited.ok) {
    if (edited.because === 'there') return [`The status line is there already, in ${path}.`, 0];
    if (edited.because === 'not-a-command') return [`Nothing changed: the statusLine in ${path} is not a command, so it cannot be kept beside ours.`, 1];
    return [`Nothing changed: ${path} cannot be read as settings (${edited.why ?? edited.because}).`, 1];
  }
  // The launcher outlives plugin updates; a monitor writes it at its start, which may not have been yet.
  if (!existsSync(paths.launcher)) installRuntime(join(__dirname, '..'), paths, (line) => writeLog(paths.log, line, Date.now()));
  // One that only changes our own command must not take the place of the user's own in the backup.
  replaceSettings(settings, edited.text, settings.backup_text === undefined || !uninstallFrom(settings.text ?? '', undefined).ok);
  return [`The status line is installed in ${path}${settings.text === undefined ? '' : `; the file before is kept as ${settings.backup}`}. It shows at the host’s next event, while a session is watched.`, 0];
};

const uninstalled = (path: string): Said => {
  const settings = readSettings(path);
  const edited = settings.text === undefined ? undefined : uninstallFrom(settings.text, settings.backup_text);
  if (edited === undefined || (!edited.ok && edited.because !== 'unreadable')) return [`Our status line is not in ${path}; nothing changed.`, 0];
  if (!edited.ok) return [`Nothing changed: ${path} cannot be read as settings (${edited.why ?? edited.because}).`, 1];
  // The file was ours alone when nothing was there before.
  if (settings.backup_text === undefined && /^\{\s*\}$/.test(edited.text.trim())) removeSettings(settings.path);
  else replaceSettings(settings, edited.text, false);
  removeSettings(settings.backup);
  return [`The status line is taken out of ${path}; what was there before is back.`, 0];
};
