import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/main/pass/catalogue-file.ts';
import type { Numbered } from '../../../src/main/records.ts';
import { finish } from '../../../src/workers/model/ending.ts';

const { detectors } = loadCatalogue({ bundle: 'plugin/detectors.json', prompts: 'plugin/prompts', file: '', overrides: {} });
const config = detectors.find(({ name }) => name === 'standard-questions')?.config ?? {};
const text = (words: string): Numbered => ({ n: 1, at: 1, uuid: 'u1', raw_chars: 1, kind: 'text', text: `[text] ${words}` });
const end: Numbered = { n: 2, at: 2, uuid: 'u2', raw_chars: 1, kind: 'note', note: 'turn-end', text: '[note]' };
const read = (words: string) => finish([text(words), end], config);

describe('finish', () => {
  it.each([
    'Done.', 'All set, the limit is in place.', 'Fixed. It does not move the callers.', '`total` compares numbers now.', 'Erledigt, `total` kann das jetzt.', 'Ist umgebaut und läuft jetzt.', "C'est fait, le reste du comportement ne change pas.", 'Listo, el límite se respeta.',
    'Pronto, corrigido em `a.ts`.', 'Fatto, ora accetta anche le liste.', '対応しました。', '已修复，列表为空也可以。', 'Готово, лимит учитывается.',
  ])('called finished: %s', (words) => {
    expect(read(words)).toEqual({ declared: true, shown: [1, 2] });
  });

  it.each([
    'The parser is done. The printer is not quite there.', 'It isn’t fully implemented.', 'Almost done.', 'Done except for the importer.', 'WIP: the reader is in.', 'Pausing here.', 'The first one is fixed, awaiting your input on the second.', 'Want me to go on? 🙂', 'Which one (a or b?)',
    'Noch nicht fertig, es fehlt der Import.', 'Der Leser ist fertig, der Schreiber noch nicht.', 'Bis auf den Import erledigt.', 'Als nächstes kommt der Import.', "Ce n'est pas encore terminé.", 'Il reste à convertir les appels.', 'Todavía no está listo.', 'Queda por hacer la segunda parte.', '¿Sigo con el resto? Está a medias.',
    'Ainda não está pronto.', 'Non è ancora pronto.', 'Manca la seconda parte.', 'まだ完了していません。', '途中まで実装しました。', '还没有完成。', '已完成第一步，接下来处理导入。', 'Пока не готово.',
  ])('not finished: %s', (words) => {
    expect(read(words)).toBeUndefined();
  });

  it('words of neither kind end the work with the turn; before that, none do', () => {
    expect(read('The sum uses it as well.')).toEqual({ declared: false, shown: [1, 2] });
    expect(finish([text('The sum uses it as well.')], config)).toBeUndefined();
    expect(finish([text('Done.')], config)).toBeUndefined();
  });

  it('in a language whose doubts it does not know, nothing ends but by a claim', () => {
    for (const words of ['Die Summe nutzt es jetzt auch.', 'Continuo amanhã.', '仕様を確認したいです。']) expect(read(words), words).toBeUndefined();
  });

  it('a list that is no list says nothing', () => {
    expect(finish([text('It is done.'), end], { finished_by: 'done', unfinished_by: [7], negated_by: null })).toEqual({ declared: false, shown: [1, 2] });
  });
});
