// What a made-up session is made of: steps of a user, an agent and its tools, before they become records of a transcript.

/** Seconds that pass before the step; a call's `took` passes before its result. */
type Base = { readonly key: string; readonly wait: number };

export type CallStep = Base & {
  readonly kind: 'call';
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
  readonly failed: boolean;
  readonly took: number;
  /** Calls in a row with the same group are made by one message. */
  readonly group?: string;
  readonly role: CallRole;
  /** The file written or read. */
  readonly file?: string;
};

export type CallRole = 'look' | 'edit' | 'test-edit' | 'docs' | 'test' | 'build' | 'other';

export type Step =
  | CallStep
  | (Base & { readonly kind: 'prompt'; readonly text: string })
  /** A prompt typed while the agent works. */
  | (Base & { readonly kind: 'queued'; readonly text: string })
  /** `claim`: it says that the task is finished. */
  | (Base & { readonly kind: 'say'; readonly text: string; readonly claim?: true })
  | (Base & { readonly kind: 'agent'; readonly type: string; readonly description: string; readonly prompt: string; readonly conclusion: string; readonly took: number })
  /** A background command that is reported finished at once after `took`. */
  | (Base & { readonly kind: 'background'; readonly command: string; readonly description: string })
  | (Base & { readonly kind: 'report'; readonly of: string; readonly description: string })
  | (Base & { readonly kind: 'interrupt' })
  | (Base & { readonly kind: 'compact' })
  /** The host is started again on the same session, after a pause; it copies some earlier records. */
  | (Base & { readonly kind: 'resume' })
  | (Base & { readonly kind: 'end' });

/** One task within a session. */
export type Chapter = { readonly kind: ChapterKind; readonly steps: readonly Step[] };

export type ChapterKind = 'feature' | 'fix' | 'docs' | 'question' | 'config' | 'waived' | 'chore';

/** A session before it is written down. `templates` names every template it was made of. */
export type Session = {
  readonly id: string;
  readonly split: Split;
  readonly pack: string;
  readonly root: string;
  readonly chapters: readonly Chapter[];
  readonly templates: readonly string[];
};

/** Splits that fill the same shapes with words of their own. */
export type Tuned = 'train' | 'test';
export type Split = Tuned | 'fresh' | 'later' | 'blind' | 'unseen';

/** Its steps in order. */
export const stepsOf = (session: Session): readonly Step[] => session.chapters.flatMap(({ steps }) => steps);
