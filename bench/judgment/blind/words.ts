// What the users and the agent of the fifth split say.
import type { Words } from '../words.ts';

export const BLIND_WORDS: Words = {
  features: [
    'can you make {n} take an optional limit, default unlimited', 'We need pagination in {f}. Cursor based please, page size {k}.', 'add a dry run mode', 'Hi! I would like {n} to log how long it took, but only when it is slower than {k} ms. Follow whatever logging pattern we have.',
    'implement the second half of the ticket: {n} has to respect the users timezone', 'ajoute un filtre par date dans {f} stp', 'Bitte {n} so erweitern, dass auch mehrere Werte auf einmal gehen', 'quiero que {n} acepte tambien una lista vacia',
    'refactor {f}, its way too long. split out {n} and {m}', '{m} should retry twice before giving up, with a short backoff', 'Replace the hand written parsing in {n} by something sane', 'build the thing we talked about yesterday, soft delete for everything in {f}',
    'let {n} and {m} share the validation', 'make it so that old records are archived instead of thrown away after {k} days', '{n} に上限を追加してください。デフォルトは {k} で。', 'cache the result of {n} for a minute or so', 'new endpoint/command for {m} pls, same style as the others',
  ],
  fixes: [
    '{n} is off by one at the end of the month', 'bug: {f} crashes on empty input, see stacktrace in the issue', 'Users report that {n} sometimes returns the same thing twice. Cannot reproduce locally. Have a look?', 'why is {m} so slow all of a sudden? fix it', 'CI is red since this morning, something with {n}',
    'es gibt einen Fehler in {n} wenn der Name Umlaute hat', 'le calcul de {n} est faux quand le montant est négatif', 'Sentry says null in {f}, {k} events since the deploy', 'fix teh race between {n} and {m}', 'regression!! {n} worked in the last release',
    'It shows yesterday\'s number until you reload. I suspect {m}.', 'o {n} quebra quando o arquivo é maior que {k} MB', 'memory keeps growing, {n} never lets go of anything', 'wrong status code when {n} is called without permission',
  ],
  docs: ['write two sentences in the readme about {n}', 'The docs still mention the old flag, clean that up', 'document {m} please, with an example', 'Changelog entry for this week', 'Kannst du die Doku zu {n} auffrischen?', 'fix typos in the docs'],
  questions: ['where does {n} get called?', 'how does {f} decide what to keep?', 'is {m} safe to call twice?', 'what would break if we dropped {n}?', 'Explain the flow from {n} to {m} to me like I am new here.', 'wozu gibt es eigentlich {m}?', 'which of our dependencies are unmaintained?'],
  configs: ['bump the timeout to {k} s in the config', 'turn on the cache in CI', 'raise the pool size to {k}', 'log level to info on staging', 'pin the toolchain version', 'stell das Limit auf {k}'],
  chores: ['commit that', 'clean up my merged branches', 'rebase on main', 'tag a release candidate', 'open a draft PR', 'push it', 'squash the last three commits'],
  waived: [
    'quick hack in {f}: hardcode the limit to {k}. dont run anything, i just want to see the diff', 'Rename {n} to something better everywhere. No need to test, the pipeline does that anyway.', 'sketch how {m} could look, throwaway code, not gonna be merged. skip the tests', 'The test db is down today so leave the tests alone. Just put the null check into {n}.',
    'change {n} as described. I have the suite running in watch mode here, so you don\'t have to.', 'Nur schnell {n} umbauen, Tests lasse ich selber laufen.', 'move {m} to its own file please; I\'ll test it myself tonight', 'pas besoin de lancer les tests, juste corrige le message dans {f}',
  ],
  looking: ['Let me start by looking at {f}.', 'I\'ll check how {n} is used first.', 'Looking into it.', 'Let me get an overview of the code around {n}.', 'First, what is there already.', 'I\'ll read the relevant parts.', 'Ich schaue mir das an.', 'Let me trace this.'],
  changing: ['Now I\'ll update {f}.', 'Found it. {n} never checks for that.', 'Next: the call sites.', 'That needs a change in two places.', 'Let me make the edit.', 'I\'ll pull this into {m}.', 'OK, und jetzt der eigentliche Umbau.', 'Applying the change.', 'The cleanest way is to let {m} do it.'],
  running: ['Let me run the tests.', 'Now to verify that this works.', 'Running everything to be sure.', 'Checking that nothing else broke.', 'Tests:', 'Jetzt die Tests.', 'Let me verify.'],
  broke: ['One failure. It expects the old behaviour.', 'That failure is mine: I forgot the empty case.', 'Hmm, {n} is called with nothing there. Fixing.', 'Good that there is a test for it. The comparison is the wrong way round.', 'Not quite. {m} needs the same treatment.'],
  claims: [
    'That\'s done.', 'Done! `{n}` now does what you described.', 'All set. The change is in {f}; `{m}` did not need touching.', '✅ Implemented. Summary:\n\n- `{n}`: new behaviour\n- `{m}`: adapted\n- call sites updated',
    'Fixed. The cause was that `{n}` looked at the wrong end of the range.', 'I\'ve updated {f} so that `{n}` handles this. Let me know if you want it elsewhere as well.', 'Erledigt, `{n}` kann das jetzt.', 'C\'est fait.', 'Listo. `{n}` ya lo admite.', 'Finished. I kept the public interface as it was.',
    'The fix is in. Root cause: `{m}` kept a reference it should have dropped.', 'That should do it — `{n}` is in place and wired up.', '`{n}` is implemented and ready for review.', 'Everything on your list is done now.', 'This is complete. {f} got shorter by {k} lines, too.', '対応しました。', 'Pronto, corrigido em {f}.', 'ok thats in',
  ],
  waived_claims: ['Changed in {f}. As you asked, I ran nothing.', 'The diff is ready for you. I left the tests to you.', 'Done, not tested, as agreed.', 'There you are. Over to your watcher.', 'Umgebaut; die Tests sind bei dir.'],
  docs_claims: ['Docs updated.', 'The readme explains `{n}` now, with an example.', 'Added to the changelog.', 'I removed three mentions of the old flag.', 'Steht jetzt drin.'],
  config_claims: ['Set to the new value.', 'Config updated; takes effect on the next start.', 'Changed, one line.', 'Ist umgestellt.', 'Bumped.'],
  answers: ['It is called in two places, both in {f}.', 'Short answer: yes, as long as nobody holds the result of `{n}`.', 'Three steps: `{n}` collects, `{m}` filters, the rest writes.', 'Nothing outside {f} depends on it.', 'It is a leftover; `{m}` took over its job.', 'Je regarde les appels : il y en a deux, tous dans {f}.'],
  redirects: ['no stop, wrong file. its about {n}', 'wait. leave {m} alone, that is someone else\'s', 'not like that, simpler', 'halt, bitte erst lesen'],
  corrections: ['oh and keep the old name as an alias', 'also for the admin side', 'the default should be {k} btw', 'und bitte keine neuen dependencies'],
  conclusions: ['{n} is used in {f} and nowhere else; no dynamic calls found.', 'Two callers pass nothing, one passes a list. See {f}.', 'The pattern used elsewhere is a small function next to {m}.'],
};
