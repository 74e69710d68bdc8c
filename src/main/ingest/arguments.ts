// Renders a call's arguments as ` key=value` pairs: what points somewhere first and whole, the rest behind it.
import type { Fields } from './transcript.ts';

/** Arguments that are the observer's index, or so short and telling that no rule may cut them. */
const LOCATORS = new Set(
  (
    'file_path notebook_path path paths file files filename directory dir cwd glob pattern regex url uri query offset limit line lines ' +
    'skill to taskId task_id status subject name type'
  ).split(' '),
);

/** Every argument, or only those that locate, or only the others. */
export const renderArguments = (input: Fields, part: 'all' | 'locators' | 'others' = 'all'): string => {
  let out = '';
  for (const [key, value] of Object.entries(input)) {
    if (part !== 'all' && LOCATORS.has(key) !== (part === 'locators')) continue;
    if (value === undefined || value === null || value === '') continue;
    out += ` ${key}=${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`;
  }
  return out;
};

/** Quotes only where a reader would not see the end of the value. */
const quoted = (value: string): string => (/[\s"]/.test(value) ? `"${value}"` : value);
