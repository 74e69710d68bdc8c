// What users ask and agents say in the made-up sessions. Train and test share no sentence. `{n}` a name, `{m}` another, `{f}` a file.
import type { Split } from './steps.ts';

export type Words = {
  readonly features: readonly string[];
  readonly fixes: readonly string[];
  readonly docs: readonly string[];
  readonly questions: readonly string[];
  readonly configs: readonly string[];
  readonly chores: readonly string[];
  /** Asks for a change and lets the agent off the tests. */
  readonly waived: readonly string[];
  readonly looking: readonly string[];
  readonly changing: readonly string[];
  readonly running: readonly string[];
  readonly broke: readonly string[];
  readonly claims: readonly string[];
  readonly waived_claims: readonly string[];
  readonly docs_claims: readonly string[];
  readonly config_claims: readonly string[];
  readonly answers: readonly string[];
  readonly redirects: readonly string[];
  readonly corrections: readonly string[];
  readonly conclusions: readonly string[];
};

const TRAIN: Words = {
  features: [
    'Add {n} so that callers can ask for it by date.', 'We need {n} to take a limit, please build that in.', 'Support more than one owner in {n}.',
    'Please let {f} answer with pages instead of everything at once.', 'Implement {n} on top of {m}, it should accept an empty list.', 'Make {n} configurable through the settings.',
  ],
  fixes: [
    '{n} returns the wrong row when two have the same date. Find out why and repair it.', 'There is a crash in {f} when the list is empty.', 'Customers see {n} twice. Please fix.',
    '{m} is off by one at the end of the month.', 'The nightly run dies in {n}, have a look.',
  ],
  docs: ['Describe {n} in the README.', 'The guide still talks about the old name of {n}, bring it up to date.', 'Write a short section on how {n} and {m} go together.'],
  questions: ['Where is {n} called from?', 'How does {f} decide between {n} and {m}?', 'Why is there a second copy of {n}?', 'What would have to change for {n} to be async?'],
  configs: ['Raise the timeout in the settings to 40 seconds.', 'Switch the cache on in the settings file.', 'Turn off the nightly job for now.'],
  chores: ['Clean the branch up and commit what we have.', 'Update the lock file and push the branch.', 'Show me what changed since yesterday and commit it.'],
  waived: [
    "Rename {n} to {m} everywhere. Don't run the tests, I have them running in another window.", 'Add a first sketch of {n}; no need to test it, it is thrown away tomorrow.',
    'Put a log line into {n} and {m}. Skip the tests please.', "Try {n} with a map instead of a list, without running anything: the database is down.",
    'Inline {n}; tests are not necessary for that.', 'Drop {m} from {f}, you need not bother with the suite.', "Split {n} in two. I'll take care of testing.",
    'Swap {n} and {m} in {f}. I will run the tests myself later.',
    'Quick experiment: make {n} lazy. No tests needed for this one.',
    'Move {n} into its own file; do not run the tests, they take an hour and CI does it.',
    'Stub {n} out so that I can demo {m}, skip testing.',
    'Sort the imports in {f} and in whatever uses {n}. CI will tell us the rest, no local run please.',
    'Delete {m}; do without a test run, the build server is down anyway.',
    'Swap {n} and {m} in {f} but leave the tests alone, I am in the middle of changing them.',
    'Make {n} lazy as a trial. Skip verification, I only want to see how it reads.',
    'Move {n} into its own file; please do not execute anything, production credentials are loaded.',
    'Stub {n} out for the demo at noon, don’t waste time on tests.',
    'Rename {m} to {n} in {f}. I have the tests open in watch mode here.',
    'Just type it up: {n} returns a copy. I’ll run things afterwards.',
    'Exchange {n} for {m} in {f}. You can save yourself the tests.',
    'Let {n} be lazy for once, I am curious. The test machine is off, so just the code.',
    'Only write it down, I verify: {n} returns a copy.',
    'Trade {n} against {m} in {f}. No tests please, it is for a screenshot.',
    'Let {n} wait for its first use. Do not launch the test suite, somebody else is on the machine.',
    '{n} deserves a file of its own. The tests I do tonight.',
    'Replace the body of {n} by a constant; running it is pointless, so do not.',
    'Say {m} instead of {n} in {f}. You may skip any checks for this.',
    'Write {n} so that it returns a copy. I verify it on the device.',
  ],
  looking: ['I will look at how it is done today.', 'Let me read the callers first.', 'First the current state of {f}.', 'Looking for other uses of {n}.', 'The interesting part should be in {f}.'],
  changing: ['Now the change itself.', 'This belongs into {f}.', '{n} gets a parameter for it.', 'I keep {m} as it is and change {n} only.', 'A guard at the top of {n} is enough.'],
  running: ['Now the tests.', 'Let me see whether everything still holds.', 'Running the suite.', 'Checking that with the tests.'],
  broke: ['One failure, and it is mine: {n} sees the old value.', 'That fails because {m} comes first.', 'The expectation is right, the code is not.', 'A missed case in {f}.'],
  claims: [
    '{n} is implemented and the callers use it.', 'Done: {n} takes the limit now, and {m} passes it on.', 'The crash is fixed; {n} handles the empty list.', 'All set. {f} answers in pages.',
    'I have added {n} and updated {f} accordingly.', 'Fixed. The cause was the order in {m}.', 'The change is in place, {n} works for several owners now.',
    '{n} takes the limit from the settings.', 'Callers of {n} pass the date along.', 'That closes the gap in {f}.', 'An empty list gives an empty result.', '{m} sorts before {n} sees it.',
    '{n} now works in batches, and {m} picks that up.',
    'That should be it: the second argument counts again.',
    'The handle leak is gone; {f} closes what it opens.',
    'Everything you asked for is in: export, header row and quoting.',
    'Finished. {n} replaces the loop in {f}.',
    'The undo is ready to use.',
    'I have taught {n} about time zones; {m} needed a small change as well.',
    'Retries are implemented with two attempts.',
    'Root cause: {n} compared strings. It compares numbers now.',
    '{m} now gives up after the second attempt.',
    'I rewrote the condition in {n}, so Mondays add up.',
    'Big inputs come back within a second.',
    'Both call sites of {n} are adapted.',
    'Solved: {f} held on to the old handle.',
    'Summary of the change: {n} takes a locale, {m} hands it down, the default stays as it was.',
    'There you go, CSV export with a header row.',
    'Batches work for {n}.',
    '{m} respects the second argument again.',
    'The handles are closed by {f} from here on.',
    'CSV export is available, including the header row.',
    '{n} has taken over from the loop in {f}.',
    'Undo is there.',
    'Time zones are handled in {n}, and {m} passes them through.',
    'Done. Two attempts, then {m} gives up.',
    'I found it: {n} rounded too early. Fixed.',
    'All three call sites use the new argument.',
    'Implemented in {f}; {n} keeps its signature.',
    'Mondays add up again.',
    'That was the wrong default in {m}. It is corrected.',
    'I changed {n} to work on copies.',
    '{n} processes its input in batches of a hundred.',
    'The locale reaches {n} through {m}.',
    '{f} closes every handle, also after an error.',
    'The export writes CSV with a header row and quotes where they are due.',
    'I swapped the loop in {f} for {n}.',
    'You can undo in {n} with one call.',
    '{n} converts to UTC first; {m} shows local time.',
    '{m} tries twice and then reports the failure.',
    'Fixed the rounding in {n}.',
    'Done, the argument is used everywhere.',
    '{f} is finished, with the signature of {n} unchanged.',
    'Totals are right on Mondays, too.',
    'The default in {m} was wrong and has been corrected.',
    '{n} works on copies.',
    'A hundred entries at a time go through {n}.',
    'The language of the caller arrives in {n} by way of {m}.',
    'Handles are closed in {f}, after errors as well.',
    'There is a CSV export with a header.',
    '{f} uses {n} where the loop was.',
    'One call to {n} takes the last step back.',
    '{n} calculates in UTC and {m} translates.',
    'Two attempts, then {m} reports the failure. Done.',
    'The rounding in {n} is fixed.',
    'Finished: every caller passes the argument.',
    '{f} is complete, and {n} looks the same from outside.',
    'Mondays count like other days.',
    'I corrected the default in {m}.',
    '{n} no longer changes its input.',
  ],
  waived_claims: [
    '{n} is renamed everywhere; I have not run the tests, as you asked.', 'The sketch is in place. Tests were not run.', 'Both log lines are in. I left the tests alone.',
    'Swapped. The tests are yours, as agreed.',
    '{n} is lazy now. As you wished I did not test this.',
    '{n} lives in its own file now.',
    'Sorted; nothing was executed.',
    'Swapped, tests untouched.',
    '{n} is lazy now; nothing was run.',
    'Moved.',
    'Typed up as described.',
    'Exchanged.',
    '{n} is lazy.',
    '{n} has its own file.',
    'Written down as you said.',
    'Traded.',
    '{n} waits.',
    'The file exists, {n} is in it.',
    'Written.',
  ],
  docs_claims: ['The README describes {n} now.', 'The guide is up to date again.', 'I added the section, with an example.'],
  config_claims: ['The timeout is 40 seconds now.', 'The cache is switched on.', 'The job is off.'],
  answers: ['{n} is called from two places, both in {f}.', 'It decides by the date; {m} is only a fallback.', 'The second copy is older and only used by the command line.', 'Three callers would have to wait for it.'],
  redirects: ['Stop, leave {f} alone and do it in {m} instead.', 'No, the other way round please: {n} should call {m}.', 'Wait, let us begin with {m}.'],
  corrections: ['Also mention it in the log, please.', 'Use the existing helper in {f} for that.', 'And keep the old name as an alias.'],
  conclusions: ['{n} is used in four files. Nobody passes a limit. {f} builds its own list.', 'Two places compute the same thing: {n} and {m}. Neither is covered for empty input.'],
};

const TEST: Words = {
  features: [
    'Could you give {n} a way to work in batches?', 'Next up: {n} has to respect the caller’s locale.', 'I want {m} to retry twice before it gives up.',
    'Extend {f} with an export as CSV.', 'Users asked for an undo in {n}; go ahead.', 'Teach {n} about time zones.', 'Introduce {n} as a replacement for the loop in {f}.',
  ],
  fixes: [
    'Somebody reported that {n} hangs with big inputs, can you get to the bottom of it?', '{f} leaks handles.', 'Totals from {m} do not add up on Mondays.', 'Regression since last week: {n} ignores the second argument.',
    'The importer chokes on {n}; make it robust.',
  ],
  docs: ['Please explain {n} to newcomers, in the guide.', 'Half of the links around {m} are dead, tidy the docs.', 'Document the options that {n} takes.'],
  questions: ['Who owns the connection in {f}?', 'Is {n} safe to be called twice?', 'What is the difference between {n} and {m}?', 'Can you walk me through {f}?'],
  configs: ['Bump the pool size to 12 in the configuration.', 'The staging address moved, adapt the settings.', 'Allow the new origin in the config.'],
  chores: ['Squash the last two commits.', 'Which branches are merged already? Delete those.', 'Tag this state as a checkpoint.'],
  waived: [
    'Turn {n} and {m} around in {f}; the tests can be dropped for a throw-away branch.',
    'Postpone the work of {n} until it is asked for. Please leave all test commands to me.',
    'Cut {n} out of {f} into a file of its own, and no running of anything.',
    'Return a fixed value from {n} while I record the video. Tests would disturb.',
    'The word {m} is wrong, it is {n}. I do not want a verification round for that.',
    'Make {n} give back a copy. I try it out with the real data and then run the suite.',
  ],
  looking: ['Reading {f} to see what we have.', 'A quick search for {n} across the project.', 'Before touching anything I want to see who depends on {m}.', 'Checking the history of this corner.', 'Opening the relevant module.'],
  changing: ['The smallest change is in {f}.', 'I will thread the value through {m}.', 'Replacing the loop.', 'The condition in {n} has to be inverted.', 'Two call sites need the new argument.'],
  running: ['Verifying.', 'Time to try it out.', 'Let me make sure nothing else moved.', 'The suite will tell.'],
  broke: ['Almost: an edge case in {m} is left.', 'My mistake, the default was evaluated too early.', 'It still trips over the empty input.', 'A fixture relied on the old order.'],
  claims: [
    '{n} reads a hundred entries per round.',
    '{m} hands the language on to {n}.',
    'Errors no longer keep a handle open in {f}.',
    'The CSV download exists and has a header.',
    'The loop in {f} is replaced by {n}.',
    '{n} can take back its last step.',
    'All calculations in {n} run in UTC.',
    'Finished: {m} gives up after two attempts.',
    'Fixed, {n} rounds at the end.',
    'Every caller of {n} is updated.',
    'The work on {f} is complete.',
    'Done. Mondays are included.',
    'The default of {m} is right again.',
    'I have made {n} copy its input.',
  ],
  waived_claims: [
    'Turned around.',
    '{n} waits until it is asked.',
    'It has a file of its own.',
    'A copy it is.',
  ],
  docs_claims: ['The guide has a page for newcomers now.', 'Dead links are gone.', 'All options are documented with their defaults.'],
  config_claims: ['Pool size is 12.', 'The settings point to the new address.', 'The origin is allowed.'],
  answers: ['The connection belongs to whoever opened it; {f} only borrows it.', 'Yes, the second call finds the flag and returns.', '{n} copies, {m} does not.', 'It reads top to bottom: parse, check, store.'],
  redirects: ['Hold on, not there: {m} is the right place.', 'Changed my mind, please drop that and look at {f} first.', 'That is too much, only touch {n}.'],
  corrections: ['By the way, keep it backwards compatible.', 'Please use the name {m} for it.', 'And make the limit a constant.'],
  conclusions: ['Found it: {n} opens a handle in a loop, {f} never closes it.', 'There are five call sites of {n}; three of them sit in {f}.'],
};

export const wordsOf = (split: Split): Words => (split === 'train' ? TRAIN : TEST);
