// How we recognise ourselves: whatever carries one of these marks is proof of delivery, never an observation (SPEC 1.12).

/** Names the source wherever we speak. */
export const SOURCE = 'Second Brain';

/** The monitor's description: the host quotes it in the summary of every event of ours (contract d). */
export const MONITOR_DESCRIPTION = 'Second Brain watcher';

/** How the bell's one line starts; what follows is the nonce and a full stop. */
export const BELL_PREFIX = 'Second Brain has a note on the work just done: ';

/** An advice id, `sb-` and eight of [0-9a-z], that stands by itself: `sb-detectors` in a path is none. */
export const ADVICE_ID = '(?<![0-9A-Za-z_-])sb-[0-9a-z]{8}(?![0-9A-Za-z_-])';

/** The distinct advice ids named in `text`, in order of appearance. */
export const adviceIdsIn = (text: string): readonly string[] => (text.includes('sb-') ? [...new Set(text.match(new RegExp(ADVICE_ID, 'g')) ?? [])] : []);

/** Whether a prompt is the host's own: a monitor's line or end, a background task's. */
export const isNotification = (prompt: string): boolean => prompt.startsWith('<task-notification>');

/** A host notification (idle, mid-turn or the monitor's end) that our own monitor caused. */
export const isOwnNotification = (text: string): boolean =>
  text.includes('<task-notification>') && (text.includes(`"${MONITOR_DESCRIPTION}"`) || text.includes(`<event>${BELL_PREFIX}`));

/** How our slash commands' names start. */
export const OWN_COMMAND = 'second-brain';
