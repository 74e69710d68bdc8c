// Whether the user wants something tried more than once: what was asked for is no going in circles.
import type { Numbered } from '../records.ts';

/**
 * Whether the failures from observation `first` to `last` were asked for: by the prompts of the turn they began in, or by
 * one given while they went on. Words decide, in the languages below; in doubt a repetition counts as wanted.
 */
export const isAskedFor = (stream: readonly Numbered[], first: number, last: number): boolean => {
  const from = openingOf(stream, first);
  return stream.some(({ n, kind, human, text }) => {
    if (kind !== 'prompt' || human !== true || n < from || n >= last) return false;
    const words = text.slice(0, MAX_WORDS).toLowerCase();
    return REPEATED.some((pattern) => pattern.test(words)) || (n > first && AGAIN.test(words));
  });
};

const MAX_WORDS = 2000;

/** Number of the prompt that began the turn in which observation `n` stands. */
const openingOf = (stream: readonly Numbered[], n: number): number => {
  let opening = 0;
  let idle = true;
  for (const seen of stream) {
    if (seen.n >= n) break;
    if (seen.kind === 'prompt' && idle) opening = seen.n;
    if (seen.kind === 'note') idle ||= seen.note === 'turn-end' || seen.note === 'interrupt';
    else if (seen.kind !== 'done') idle = false;
  }
  return opening;
};

/** Held against lower-cased words. */
const REPEATED: readonly RegExp[] = [
  // So many times.
  /\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty|hundred|dozen|few|couple(?: of)?|several|some|many|multiple) (?:more |other )?times\b/,
  /(?:\d+|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwanzig|hundert|paar|einige|mehr) ?mals?\b/,
  /(?:\d+|deux|trois|quatre|cinq|six|sept|huit|dix|vingt|plusieurs|quelques) fois\b/,
  /(?:\d+|dos|tres|cuatro|cinco|seis|diez|varias|algunas|unas|muchas) veces\b/,
  /(?:\d+|duas|três|tres|quatro|cinco|seis|dez|várias|varias|algumas|muitas) vezes\b/,
  /(?:\d+|due|tre|quattro|cinque|sei|dieci|più|alcune|molte|varie) volte\b/,
  /(?:\d+|twee|drie|vier|vijf|tien|paar|meerdere) keer\b/,
  /(?:\d|[二三四五六七八九十数何])回|(?:\d|[两二三四五六七八九十几数多]) ?[次遍]|(?:\d|몇|여러|두|세|네|다섯|열) ?번|(?:\d|три|пять|десять|несколько) раз/,
  /(?<![\w.])(?:\d+ ?[x×](?![\w])|[x×] ?(?:[2-9]|[1-9]0|100)\b)/,
  // Over and over.
  /\b(?:again and again|over and over|repeatedly|back[- ]to[- ]back|in a row|on repeat|in (?:a )?loop|as a loop|how often|how many (?:times|runs|out of))\b|^\[prompt\] \/loop\b/,
  /\bimmer wieder\b|\bwiederhol|\bschleife\b|\bwie oft\b|\ben boucle\b|\bcombien de fois\b|\ben bucle\b|\buna y otra vez\b|\bcuántas veces\b|\bem loop\b|\brepetid[ao]|\bquantas vezes\b|\bripetut|\bquante volte\b/,
  /繰り返|何度も|何回|反复|重复|多次|반복/,
  // Until it is so.
  /\bkeep (?:on )?(?:re)?(?:try|runn|poll|check|test|hammer)ing\b|\b(?:until|till) (?:it|they|that|this|everything|all|green|red|success|(?:the )?(?:tests?|suite|build|pipeline|job|server|service|ci|command|deploy\w*|pod|container)\b)|\bwait (?:for|until|till)\b/,
  /\bbis (?:es|sie|das|alles)\b|\bso ?lange\b|\bwarte,? bis\b|jusqu['’]à ce que|\battends que\b|\bhasta que\b|\bespera a que\b|\baté (?:que|passar|funcionar)\b|\bfinché\b|まで(?:繰|続|試|実行|や|待)|直到|될 때까지|пока не /,
  // Is it always so?
  /\bflak(?:y|e|es|iness)\b|\bintermittent|\bsporadi|\bnon-?determin/,
  /\b(?:whether|if|see|ob|wissen|si|se)\b.{0,60}\b(?:each time|every time|jedes ?mal|chaque fois|cada vez|toda vez|ogni volta)/,
  /毎回|每次都/,
];

/** Between two failures: one more go. */
const AGAIN =
  /\bagain\b|\bonce more\b|\bone more\b|\banother (?:try|go|time|run|shot)\b|\bre-?(?:try|run)\b|\bnoch ?(?:ein)?mal\b|\berneut\b|\bencore une fois\b|\bréessa|\brelance|\botra vez\b|\bde nuevo\b|\breintenta|\bde novo\b|\boutra vez\b|\bdi nuovo\b|\briprova|もう一度|もう一回|再度|再実行|リトライ|再试|再来|再跑|重试|다시|ещё раз/;
