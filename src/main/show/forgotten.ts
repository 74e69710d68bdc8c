// /second-brain-forget: what went, in words.
import { fit } from './plain.ts';

type Scope = { readonly kind: 'task' | 'workspace' | 'all'; readonly task?: string; readonly workspace?: string };
type Gone = { readonly tasks: readonly string[]; readonly sessions: number; readonly captures: number; readonly index: boolean };

export const forgottenText = (scope: Scope, { tasks, sessions, captures, index }: Gone, { watched, width }: { readonly watched: boolean; readonly width: number }): string => {
  const what = scope.kind === 'task' ? `task ${scope.task ?? ''}` : scope.kind === 'workspace' ? `workspace ${scope.workspace ?? ''}` : 'everything';
  return fit(
    [
      `Forgotten: ${what}.`,
      `Deleted: ${number(tasks.length, 'ledger with its window log and gate counts', 'ledgers with their window logs and gate counts')}, files of ${number(sessions, 'session', 'sessions')} (history, mail, status), ${number(captures, 'debug capture', 'debug captures')}, its lines in the live index.`,
      ...(index ? [] : ['The live index is being rewritten by another process just now; its lines expire by themselves within minutes.']),
      'Nothing of the transcript before this moment is read again. Configuration stays.',
      ...(watched ? ['The running monitor drops its window within a second.'] : []),
    ].join('\n'),
    width,
  );
};

const number = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
