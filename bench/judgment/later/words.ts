// What is asked and said in the fourth split; no sentence of it stands in another one.
import type { Words } from '../words.ts';

export const LATER_WORDS: Words = {
  features: [
    '{n} should accept a list too, not only one', 'we want a --since option on {m}. same format as git log', 'let the user undo {n}, one level is plenty', 'write {m} so that it can be resumed after a crash', 'Export nach CSV für {n}, Trennzeichen Semikolon.',
    'introduce a limit of {k} on {m} and say what was cut off', "sort by name, then by date; at the moment it's whatever order the db has", 'Please cache {n} per request.', 'in {f}: replace the chain of ifs with a table', 'cuando falla {m}, guarda el motivo en el registro', 'accessible labels for everything {n} draws', 'rate limiting for {m}, {k} a minute and ip',
  ],
  fixes: [
    '{n} says 0 for the first row of each page', 'customers in brazil see yesterday. have a look at {f}', 'memory climbs by {k} mb a day, {m} is my suspect', 'double click on save books twice', "{f} can't cope with windows line endings", 'nach dem Abmelden ist der alte Name noch zu sehen', 'NaN in the totals when one entry has none', 'the error from {m} is swallowed, we only see "failed"',
    '{n} is slow for anything above {k}, profile says its the inner loop', 'wrong plural in the mail: 1 items',
  ],
  docs: ['the quick start does not work any more, walk through it and correct it', 'one paragraph on {n} for the handbook', 'screenshots are gone, take the links out', 'spell out what {m} returns when there is nothing'],
  questions: ['whats the difference between {n} and {m}', 'where do we decide the order of things', 'is {k} a magic number or does it come from somewhere', 'ist das hier threadsafe?', 'who wrote {f} and when', 'can i delete {m}? nobody seems to use it'],
  configs: ['port {k} please', 'switch the feature flag on for everyone', 'log level to warn', 'new sender address in the settings, the old one bounces'],
  chores: ['clean up old branches', 'what did we ship last week', 'find the biggest files in the repo history', 'update the copyright year', 'are we behind upstream?'],
  waived: [
    "hotfix, prod is down: put a guard on {n}. tests later, go", 'i only want to see how {f} would look with early returns. not running anything', 'change the wording in {n}. the suite needs the license server and thats offline, so leave it', 'mach das in {f} einfach mal so, ich probier es dann selbst aus', 'stub out {m} for the screenshot, goes in the bin afterwards', 'write {n} now, we do the testing on monday with qa', 'a quick hack in {f} is fine, nobody is going to test it',
  ],
  looking: ['Let me find where that happens.', 'Two files look likely; {f} first.', 'Reading.', 'Checking how the other commands do this.', 'I want to see the history of that line.', 'Leyendo el código.', 'Kurzer Blick in {f}.'],
  changing: ['Guard first.', 'Now the actual change.', 'Extracting {n}.', 'Same in {f}.', 'Removing what is no longer reached.', 'Y ahora el segundo caso.', 'Rewriting that block.'],
  running: ['Does it hold?', 'And now for real.', 'Running it all.', 'Prüfen.', 'Let me be sure about that.'],
  broke: ['My mistake: the default.', 'The old behaviour was relied on there. Adapting.', 'One caller passes nothing at all.', 'Wrong way round.', 'Hm, locale.'],
  claims: [
    '`{n}` does that now.', "It's a three line change in {f}; the cause was the missing default.", 'Done as discussed, with the limit at {k}.', 'I changed `{n}` and `{m}`. Behaviour for existing input is the same.', 'Sorted.', 'Ya está. `{n}` guarda el motivo.', 'Erledigt, in {f}.',
    'The bug is fixed. It came from `{m}` being called with an empty list.', '### Summary\n\n| file | change |\n|---|---|\n| {f} | new branch for the empty case |\n\nThat is all there was to it.', 'Everything on the list is handled:\n\n- lists are accepted\n- one element still works\n- documentation strings adapted', 'Over to you for review.', 'This closes it.',
  ],
  waived_claims: ['Guard is in; I ran nothing.', 'Written and untested, as agreed.', 'Das steht jetzt so in {f}. Ausprobieren musst du.', 'In. QA can take it from there on Monday.', 'Reworded; the suite was left alone.'],
  docs_claims: ['Walked through it, three commands corrected.', 'Paragraph is in.', 'Links are out.', 'Says so now.'],
  config_claims: ['On for everyone.', 'Port is {k}.', 'Address replaced.', 'Set.'],
  answers: ['`{n}` copies, `{m}` does not.', 'In {f}, near the top.', 'It comes from the first prototype, nobody remembers why {k}.', 'Nein, der Zähler ist nicht geschützt.', 'You can; only a comment mentions it.'],
  redirects: ['no. other way round', 'stop, thats the generated file', 'leave that, i changed my mind. do {m}', 'warte, erst die andere Sache'],
  corrections: ['make it {k}', 'oh, and same for {m}', 'keep the old name as an alias pls', 'und bitte ohne Ausrufezeichen'],
  conclusions: ['It is set in one place, {f}, and read in four.', 'Nothing depends on the order except the export.', '{n} is called from a cron job as well.'],
};
