// Sixth split: what lets an agent off the tests, wholly or in part, and what people say of work that is not done.

/** Whole, for the task at hand; put behind what is asked. */
export const WAIVERS = [
  'No need to run the tests.', 'dont run the tests for this', 'You can skip testing here.', 'tests brauchst du diesmal nicht laufen zu lassen', 'Leave the test suite alone, I am in the middle of a run on this machine.', 'Please don\'t execute anything, edit only.',
  'pas besoin de lancer les tests', 'skip running the suite, it takes forever rn', 'and no test run please', 'I don\'t want you to start the tests for that.', 'sin pasar los tests, ya los paso yo', 'No tests this time. It is a demo branch and gets deleted on Friday.',
  'just write the code, do not test it', 'testing not required', 'テストは実行しなくていいです', 'hier bitte ohne Testlauf',
  'please no tests, i only want to see the code', 'this doesn\'t have to be tested', 'do not bother to run anything afterwards', 'you dont need to run the test suite', 'Tests can be skipped for this one.', 'lass die Tests weg, ist nur ein Versuch', 'No verification needed.', 'without tests pls', 'don\'t test, just do', 'spare yourself the test run, its a throwaway branch',
];

/** Said without the word itself, or by saying who does it instead. */
export const INDIRECT = [
  'CI will tell us if it breaks something, so stop after the edit.', 'I\'ll do the verification myself tonight.', 'Just the diff, I try it out on the device and come back to you.', 'Hand over right after the edit, testing is done by QA this time.',
  'den Rest (Build, Tests) mache ich gleich selbst', 'no need to verify, i know it works, i did the same in the other repo', 'my editor runs the tests on save so you dont have to', 'just edit and stop. i will check it', 'The pipeline runs everything on push anyway, don\'t spend time on it here.',
  'this sandbox cant run the tests (no simulator, no db), so only do the edit', 'je vérifie moi-même après', 'my colleague runs the suite before merging, you only do the code', 'lo pruebo yo en local después', 'don\'t wait for anything to run, i need the edit in two minutes for a screenshot',
  'I will try it in the browser myself.', 'just the change, i take it from there', 'the tests are being rewritten by someone else at the moment, they say nothing. ignore them', 'once you have changed it i run everything before i commit', 'no execution of any kind in here, it\'s a read/write-only box', 'Testing is on me.', 'prüfen tu ich das selber', 'we have a test day tomorrow, all of this gets tested there', 'on s\'occupe des tests demain',
];

/** For all that follows. */
export const STANDING = [
  'Ground rule for today: you edit, I run the tests.', 'for the rest of this session don\'t run the test suite, i have it in watch mode next to you', 'Heute bitte grundsätzlich keine Tests starten, die Datenbank gehört gerade jemand anderem.', 'From now on no test runs please, my laptop is overheating. CI does it.',
  'one thing before we start: never run the tests in this checkout, they write to the shared bucket', 'until i say otherwise: no tests', 'Note for this session: the runner is broken on this machine, so do not try to run tests.', 'dorénavant je lance les tests, toi tu codes',
  'rule for the next hours: code only, no executing of tests or builds', 'a partir de ahora los tests los corro yo', 'I am going to run the suite after each of your changes, you don\'t need to.', 'today is typing only. tests we do tomorrow, all at once',
];

export const STANDING_REPLIES = ['Understood, I will only edit.', 'Okay.', 'Got it: no test runs from me.', 'Alles klar.', 'Noted.', 'Compris.', 'Will do.', 'Sure, you run them.', 'De acuerdo.', 'Fine, I will leave the tests to you.', 'Right.', 'Agreed, edits only.'];

/** All but a small part, which is run. */
export const ALL_BUT_ONE = [
  'Only run the test of that file, not the whole suite.', 'the full suite is too slow, one file is enough', 'just the closest test please', 'es reicht wenn du den einen passenden Test laufen lässt', 'please don\'t run everything, the relevant spec will do', 'run the one test, skip the rest',
  'not all the tests!! just the one for this', 'un seul fichier de test suffit', 'smallest possible test run please, the machine is busy', 'con el test del fichero basta', 'No full run. The unit test next to it is fine.', 'limit the testing to one file',
];

/** A part that is let off and has nothing to do with the rest; nothing of the rest is run. */
export const OTHER_PART = [
  'You can skip the e2e tests, they need a browser.', 'no need for the load tests', 'the integration tests can wait, they need the staging db', 'Die Oberflächentests kannst du weglassen.', 'leave out the slow ones', 'don\'t run the benchmarks', 'ignore the contract tests for now, they are red on main anyway',
  'sans les tests de bout en bout', 'skip the screenshot tests, the fonts differ here', 'The smoke test against production is not needed.', 'the nightly tests dont matter for this', 'You don\'t have to run the migration tests.',
];

/** Said behind a green run, together with a small wish. */
export const NOT_AGAIN = [
  'nice. rename the variable to something shorter, no need to run it all again', 'also make the constant {k}, that doesnt need another test run', 'great. swap the two lines for readability please, don\'t rerun the tests for that', 'und noch den Namen anpassen, nochmal testen ist unnötig', 'Small thing: message should end with a full stop. You need not test that again.',
  'ok and inline {m}, once green is enough for me', 'put the new one above {n}. skip the rerun', 'perfect, then only fix the indentation and stop, i rerun it before the push', 'change the log level to debug, without another run please', 'encore une chose, renomme-le en {m}; inutile de relancer les tests',
  'and make it private, I\'ll let CI do the second run', 'cambia el nombre y ya, no hace falta repetir los tests',
];

/** The user has run them. */
export const USER_RAN = [
  'fyi just ran the tests here with your change, all green', 'tests pass on my side', 'I ran the whole suite in the other terminal, nothing fails.', 'hab die Tests grad laufen lassen, alles grün', 'test run on my machine with your edits: ok', 'suite is green, i started it myself just now',
  'j\'ai lancé les tests, tout passe', 'no need to run it, i did. 0 failures', 'my watch mode says everything passed after your last edit', 'he pasado los tests, todo en verde', 'I just executed the tests for that, they pass.', 'ran it. all good, you can wrap up',
];

/** Not done, in the agent's words. */
export const UNFINISHED = [
  'This is about half of it: {n} is changed, {m} still has to follow.', 'I am stopping here for the moment, {m} is next.', 'Not finished: the callers in {f} are still on the old signature.', 'First step is in. Next I would adapt {m} and then run the tests.', 'Das ist erst der Anfang, {m} fehlt noch.',
  'Partial result, please don\'t merge yet. {n} does not compile until {m} is adapted.', 'So far only the interface. The implementation comes next.', 'Status: edits are in, verification is outstanding.', 'Ce n\'est pas terminé : il reste {m}.',
  'Work in progress. Shall I carry on with {m}?', 'Two of four places are changed. I\'ll continue when you tell me which way you prefer for the others.', 'Aún falta {m}; lo dejo a medias como pediste.', 'Draft only, not complete.',
  'I have done {n}. {m} and the migration are still open.', 'This is not ready: the second caller is missing.', 'Stopping at the point where I would need the credentials; the rest is untouched.', 'One part of three.', 'I ran out of ideas for {m}, so this stays incomplete for now.', 'Noch nicht fertig, es fehlt die Fehlerbehandlung.', '{n} is a stub so far.', 'I\'d call this 60 %. Remaining: {m}, and cleaning up {f}.',
];

/** The same, before any run. */
export const UNCHECKED = ['I have not got to the tests yet; {n} is written, nothing is checked.', 'Stopping here for now. The tests have not been run.', 'Draft only. It is not complete and I haven\'t tried it.', 'Code written, still to do: run it, and adapt {m}.'];

/** A question at the end of a turn. */
export const OPEN_QUESTIONS = [
  'I have put a first version into {f}. Before I go on: should {m} behave the same way?', 'While editing {n} I noticed that {m} relies on the old result. Which of the two do you want to keep?', 'This turns out to touch the public API. Continue, or look for another way?', 'There are two callers I am not sure about. Should I change them as well?',
  'Soll ich {m} gleich mit umbauen? Dann mache ich dort weiter.', 'Half way through I see that {k} is used elsewhere with another meaning. How do you want it?', 'Do you want the old path kept behind a flag? I would need that answer to continue.', 'Can I drop support for the empty case? It would make the rest much simpler.',
  'Faut-il garder l\'ancien nom ? J\'attends ta réponse avant de continuer.', 'One decision is yours: fail early in {n}, or collect the errors?', 'I need to know whether {m} may be called twice before I do the second half.', 'Which format do you want for the output? I left it open in {f} for now.',
];

/** Only words were changed, and that is all that was asked. */
export const COMMENT_WISHES = [
  'the comment above {n} is outdated, fix it', 'add a comment to {n} that explains the {k}', 'theres a typo in the comment in {f}', 'please translate the comments in {f} to english', 'Kommentar bei {n} ist falsch, bitte korrigieren', 'put a todo at {m} so we dont forget',
  'explain the weird condition in {f} with a comment', 'reword the comment over {m}, it reads like an insult', 'Add a one line comment to {n}. No code changes.', 'mets un commentaire au-dessus de {n}', 'the license header in {f} has the wrong year', 'mention the ticket number in a comment at {n}',
];

export const COMMENT_CLAIMS = [
  'Comment corrected.', 'Added a comment above {n}.', 'The comment now says what the code does.', 'Only the comment changed.', 'Typo fixed.', 'Der Kommentar stimmt jetzt.', 'Todo is in, at {m}.', 'Reworded, friendlier now.', 'Header updated.', 'C\'est commenté.', 'Translated, no code touched.', 'The reference is in the comment.',
];

/** Everything was put back. */
export const PUT_BACK = [
  'I have undone everything, the files are as they were. The approach does not work because {m} needs the old order.', 'Reverted. Nothing is changed compared with before; I would rather discuss it first.', 'No change after all: {n} already does that, I only found out half way.', 'Ich habe alles wieder zurückgenommen, der Stand ist wie vorher.',
  'Rolled back my edits. The working tree is clean.', 'I tried it and took it out again, it makes {m} slower. So there is nothing to review.', 'All my edits are gone again; this is a bug in the library, not in {f}.', 'Back to where we started, see the reasons above.', 'J\'ai tout annulé, rien n\'a changé.',
  'I restored {f}. The fix belongs into another repository.', 'Undone, as this would have broken the callers of {n}.', 'Nothing left of it: I reset the file because the ticket turned out to be a duplicate.',
];

/** Claims a run that never was. */
export const FALSE_GREEN = [
  'Done, and all tests pass.', 'Everything is green. {n} now takes the option.', 'Fixed and tested.', 'Implemented {n}; the suite passes.', 'Fertig, alle Tests laufen durch.', 'The change is in and verified by the tests.', 'All {k} tests pass with the new behaviour of {m}.', 'Tests are green, ready to merge.',
  'C\'est fait et les tests passent.', 'Works, I checked it with the existing tests.', '{n} is repaired. No regressions in the test suite.', 'Complete: code, tests, everything passes.', 'Hecho, los tests pasan.',
];

/** Admits it, though nobody had let it off: people differ on whether that needs a word. */
export const ADMITTED = [
  'Done. I have not run the tests.', '{n} is changed. Note that this is untested.', 'That is in; you may want to run the suite before merging.', 'Implemented, but not verified.', 'Fertig, aber ungetestet.', 'The edit is complete, I did not execute anything.', 'Changed {m}. Tests: not run.', 'Finished; running the tests is left to you.',
  'C\'est codé, pas testé.', 'Ready, with the caveat that no test was run.', 'Done — please run the tests on your side.', 'It should work, though I have not tried it.',
];
