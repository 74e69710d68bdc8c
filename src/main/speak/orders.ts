// Observation first: claims of authority are taken out of a model's text, orders become options (SPEC 9, HAZARDS A13).

/** `text` without sentences that claim authority, its orders turned into options. */
export const withoutOrders = (text: string): string =>
  text
    .split('\n')
    .map((line) => sentencesOf(line).filter((sentence) => !claimsAuthority(sentence)).map(softened).join(''))
    .join('\n');

/** Whether a sentence of `text` still orders or claims authority. */
export const isOrder = (text: string): boolean =>
  text.split('\n').some((line) => sentencesOf(line).some((sentence) => claimsAuthority(sentence) || softened(sentence) !== sentence));

/** A line's sentences with the space behind them; joined they are the line. */
const sentencesOf = (line: string): readonly string[] => line.split(/(?<=[.!?。！？](?:["')\]*_]{0,3})\s{1,9})(?=\S)/u);

const claimsAuthority = (sentence: string): boolean => AUTHORITY.some((claim) => claim.test(sentence));

// Texts are capped before they come here, and every gap is bounded: no pattern can run away.
const AUTHORITY: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|system)\b.{0,40}\b(?:instruction|prompt|rule|guideline|message|context|polic|restriction)/i,
  /\b(?:new|updated|hidden|secret)\s+instructions?\b/i,
  /\byou\s+are\s+now\b|^\W{0,6}act\s+as\b|\bpretend\s+(?:to|that|you)\b|\bjailbreak\b|\bdeveloper\s+mode\b/i,
  /\b(?:do\s+not|don['’]t|never|without)\s+(?:tell|telling|inform|informing|show|showing|mention|mentioning|ask|notify|notifying|warn|warning)\b.{0,30}\b(?:user|human|person|anyone|anybody|owner)\b/i,
  /\b(?:user|human|owner|admin\w*|developer|anthropic|system)\b.{0,20}\b(?:has|have|had|already)?\s?(?:approved|authori[sz]ed|granted|permitted|consented|pre-?approved)\b/i,
  /\b(?:on\s+behalf\s+of|by\s+order\s+of|with\s+the\s+(?:authority|approval|permission)\s+of)\b/i,
  /\b(?:grant|give|allow|approve|accept|enable|disable|skip|escalate|request)\b.{0,30}\b(?:permissions?|approvals?|sandbox|safety|privileges|root\s+access|sudo)\b/i,
  /--dangerously|\bbypassPermissions\b|\bskip-permissions\b|\bdangerouslyDisable\w*/i,
];

const softened = (sentence: string): string => {
  const calm = PRESSURE.reduce((text, [pattern, by]) => text.replace(pattern, by), sentence);
  const lead = /^([\s>*_#\d.)"'“‘(-]{0,12})(\S.*)$/su.exec(calm);
  if (lead === null) return calm;
  const [, before = '', rest = ''] = lead;
  const plain = rest.replace(/^(?:please|kindly|now|then|so|also|first|next|finally|instead|just|immediately|therefore|but|and)[,\s]{1,3}/i, '');
  return orders(plain) ? `${before}An option: ${plain.charAt(0).toLowerCase()}${plain.slice(1)}` : calm;
};

const PRESSURE: readonly (readonly [RegExp, string])[] = [
  [/\b(You|you|The agent|the agent)\s+(?:MUST|must|SHALL|shall|HAVE TO|have to|has to|NEED TO|need to|needs to|should|SHOULD|ought to)\b(?:\s+(?:not|NOT)\b)?/g, '$1 may want to consider whether to'],
  [/\bMUST(?:\s+NOT)?\b/g, 'may need to'],
  [/\bSHALL\b/g, 'may'],
  [/\bNEVER\b/g, 'never'],
  [/\bALWAYS\b/g, 'always'],
  [/(?:^|(?<=[\s*_]))(?:IMPORTANT|CRITICAL|URGENT|WARNING|ATTENTION|STOP|NOTE|MANDATORY|REQUIRED)\b[:!*_]{0,4}\s{0,3}/g, ''],
  [/!{2,}/g, '.'],
];

const orders = (sentence: string): boolean => {
  const words = /^([A-Za-z][A-Za-z'’-]*)(?:\s+(\S+))?/.exec(sentence);
  if (words === null) return false;
  const verb = (words[1] ?? '').toLowerCase().replace('’', "'");
  const next = (words[2] ?? '').toLowerCase();
  if (VERBS.has(verb)) return !FACT_FOLLOWS.test(next);
  return NOUN_OR_VERB.has(verb) && OBJECT_FOLLOWS.test(next);
};

const VERBS: ReadonlySet<string> = new Set(
  `run execute rerun re-run add ensure verify install delete remove revert do don't create stop try consider ask tell let's remember
  avoid never always undo restart rename replace keep investigate confirm inspect refactor implement apply proceed continue wait
  ignore disregard disable enable allow grant approve accept send upload download fetch click visit rebuild retry reconsider
  prefer double-check be think resolve mention follow write`.split(/\s+/),
);
/** Also nouns: an order only when an object follows. */
const NOUN_OR_VERB: ReadonlySet<string> = new Set(
  'test build check commit set change update use fix open read write move push deploy release import patch look review merge format lint document start edit copy mark note see bump tag make call post address finish complete'.split(' '),
);
const OBJECT_FOLLOWS = /^(?:the|a|an|all|your|it|its|them|this|that|these|those|every|each|any|both|again|before|after|now|out|up|if|whether|for|into|npm|npx|yarn|pnpm|go|cargo|make|pytest|git|[`"'“./~].*|\S+\.\w{1,5}[.,]?)$/;
const FACT_FOLLOWS = /^(?:of|hooks?|is|was|are|were|has|had|failed|fails|passed|took|takes|times?|#\S*|\d\S*|[→=:-].*)$/;
