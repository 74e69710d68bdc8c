// Who judges: which provider, at which address, with whose key, and why not another (SPEC 7.1; SPEC 3, Untrusted environment).
import type { Knobs } from '../floor/knobs.ts';
import type { Provider } from '../../workers/contract.ts';

export type ProviderAsk = {
  readonly knobs: Knobs['model'];
  /** The monitor's environment: a repository can set any of it, so it gives keys and never addresses. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What `model.key_command` printed. */
  readonly command_key?: string;
  /** Key sources that the endpoint has refused: the next one is taken. */
  readonly failed?: readonly string[];
};

export type ProviderChoice = {
  /** Everything but the key, fit to be shown. */
  readonly provider: Omit<Provider, 'key' | 'ca'>;
  readonly key: string;
  /** Where the key came from, in words a user knows: a variable or a knob. */
  readonly key_from: string;
  /** PEM file to be read into the provider's `ca`. */
  readonly ca_file?: string;
  /** What stood in the way of another choice, a sentence each. */
  readonly problems: readonly string[];
};

export const ANTHROPIC_URL = 'https://api.anthropic.com';
const DEFAULT_NAMES = { anthropic: 'claude-haiku-5-5', host: 'haiku', openai: '', local: 'rules' } as const;

/** The provider for the next pass. There always is one: `local` needs nothing. */
export const chooseProvider = (ask: ProviderAsk): ProviderChoice => {
  const problems: string[] = [];
  const { knobs, failed = [] } = ask;
  for (const candidate of candidates(ask)) {
    const problem = failed.includes(candidate.key_from) ? `The provider refused ${candidate.key_from}; it is not used.` : problemOf(candidate, ask);
    if (problem === undefined) return choice(ask, candidate, problems);
    problems.push(problem);
  }
  if (knobs.provider === 'anthropic' || knobs.provider === 'openai') problems.push(`model.provider is ${knobs.provider}, but there is no key for it that can be used; judging by local rules.`);
  return choice(ask, { kind: 'local', base_url: '', key: '', key_from: 'none' }, problems);
};

type Candidate = {
  readonly kind: Provider['kind'];
  readonly base_url: string;
  readonly key: string;
  readonly key_from: string;
  /** The vendor's base-URL variable: where it points elsewhere, the key beside it is meant for that place. */
  readonly env_url?: string;
};

/** In SPEC's order: our own key, then ANTHROPIC_API_KEY, then OPENAI_API_KEY. */
const candidates = ({ knobs, env, command_key }: ProviderAsk): Candidate[] => {
  if (knobs.provider === 'local') return [];
  if (knobs.provider === 'host') return [{ kind: 'host', base_url: '', key: '', key_from: 'your Claude Code login' }];
  const found: Candidate[] = [];
  const chosen = knobs.provider === 'auto' ? undefined : knobs.provider;
  const own = env['SECOND_BRAIN_API_KEY'] ?? '';
  const ownKey = own !== '' ? { key: own, key_from: 'SECOND_BRAIN_API_KEY' } : (command_key ?? '') !== '' ? { key: command_key ?? '', key_from: 'model.key_command' } : undefined;
  const testUrl = knobs.test_endpoint && isLoopback(env['ANTHROPIC_BASE_URL']) ? env['ANTHROPIC_BASE_URL'] : undefined;
  const anthropicUrl = testUrl ?? (chosen === 'anthropic' && knobs.base_url !== '' ? knobs.base_url : ANTHROPIC_URL);
  if (ownKey !== undefined) {
    const kind = chosen === 'openai' || (chosen === undefined && knobs.base_url !== '') ? 'openai' : 'anthropic';
    found.push({ kind, base_url: kind === 'openai' ? knobs.base_url : anthropicUrl, ...ownKey });
  }
  const anthropicKey = env['ANTHROPIC_API_KEY'] ?? '';
  if (chosen !== 'openai' && anthropicKey !== '') {
    found.push({ kind: 'anthropic', base_url: anthropicUrl, key: anthropicKey, key_from: 'ANTHROPIC_API_KEY', env_url: env['ANTHROPIC_BASE_URL'] ?? '' });
  }
  const openaiKey = env['OPENAI_API_KEY'] ?? '';
  if (chosen !== 'anthropic' && openaiKey !== '' && (chosen === 'openai' || (knobs.base_url !== '' && knobs.name !== ''))) {
    found.push({ kind: 'openai', base_url: knobs.base_url, key: openaiKey, key_from: 'OPENAI_API_KEY', env_url: env['OPENAI_BASE_URL'] ?? '' });
  }
  // Many servers on one's own machine ask for no key; they are named explicitly.
  if (chosen === 'openai' && found.length === 0) found.push({ kind: 'openai', base_url: knobs.base_url, key: '', key_from: 'none' });
  return found;
};

/** Why a candidate cannot be used. Its key then goes nowhere. */
const problemOf = ({ kind, base_url, key_from, env_url }: Candidate, { knobs }: ProviderAsk): string | undefined => {
  if (kind === 'host') return undefined; // its address is the host's own business
  if (kind === 'openai' && (base_url === '' || knobs.name === '')) return `${key_from}: an OpenAI-compatible provider needs model.base_url and model.name in your configuration.`;
  const url = parseUrl(base_url);
  if (url === undefined) return `model.base_url ${JSON.stringify(base_url.slice(0, 80))} is not an address; the key from ${key_from} is sent nowhere.`;
  if (url.username !== '' || url.password !== '') return 'model.base_url holds a user name or password; it is not used.';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(base_url))) return `model.base_url is not https; the key from ${key_from} is sent nowhere.`;
  if (env_url !== undefined && env_url !== '' && !samePlace(env_url, base_url)) {
    const variable = kind === 'anthropic' ? 'ANTHROPIC_BASE_URL' : 'OPENAI_BASE_URL';
    return `${variable} points elsewhere, so ${key_from} is not used and sent nowhere; to use that address set model.base_url yourself.`;
  }
  return undefined;
};

const choice = ({ knobs, env }: ProviderAsk, { kind, base_url, key, key_from }: Candidate, problems: readonly string[]): ProviderChoice => {
  const online = kind === 'anthropic' || kind === 'openai';
  const proxy = knobs.proxy !== '' ? knobs.proxy : knobs.trust_env ? (env['HTTPS_PROXY'] ?? env['https_proxy'] ?? '') : '';
  const ca_file = knobs.ca_file !== '' ? knobs.ca_file : knobs.trust_env ? (env['NODE_EXTRA_CA_CERTS'] ?? '') : '';
  return {
    provider: {
      kind,
      base_url,
      model: kind === 'local' || knobs.name === '' ? DEFAULT_NAMES[kind] : knobs.name,
      // The CLI's own marks are short and come first; a longer one behind them would be refused.
      cache_ttl: kind === 'host' || knobs.cache_ttl === 'auto' ? '5m' : knobs.cache_ttl,
      auto_choice: false,
      ...(online && proxy !== '' && !isLoopback(base_url) ? { proxy } : {}),
    },
    key,
    key_from,
    ...(online && ca_file !== '' ? { ca_file } : {}),
    problems,
  };
};

/** Whether a fork's cause says that the endpoint refused the key: its source then belongs into `failed`. */
export const isKeyRefused = (cause: string | undefined): boolean => cause !== undefined && /^(host: )?http 40[13]\b/.test(cause);

/** USD per million tokens of plain input and of output; absent where we do not know the model. */
export const priceOf = (model: string, knobs: Pick<Knobs['model'], 'price_in' | 'price_out'>): { readonly input: number; readonly output: number } | undefined => {
  if (knobs.price_in >= 0 && knobs.price_out >= 0) return { input: knobs.price_in, output: knobs.price_out };
  return PRICES.find(([name]) => name.test(model))?.[1];
};

const PRICES: readonly (readonly [RegExp, { readonly input: number; readonly output: number }])[] = [
  [/^(claude-haiku-(4-5|5-5)\b|haiku$)/, { input: 1, output: 5 }],
  [/^claude-sonnet-4-5\b/, { input: 3, output: 15 }],
  [/^claude-opus-4-5\b/, { input: 5, output: 25 }],
];

/** Tokens below which the provider keeps no prefix, so that nothing need wait for a pilot; Infinity where there is no model (HAZARDS E5). */
export const minCacheable = (kind: Provider['kind'], model: string): number => {
  if (kind === 'local') return Number.POSITIVE_INFINITY;
  if (kind === 'openai') return 1024;
  return /haiku|opus/.test(model) ? 4096 : 1024;
};

const parseUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const isLoopback = (text: string | undefined): boolean => {
  const host = text === undefined ? undefined : parseUrl(text)?.hostname;
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host ?? '');
};

const samePlace = (a: string, b: string): boolean => {
  const [one, other] = [parseUrl(a), parseUrl(b)];
  const path = (url: URL): string => url.pathname.replace(/\/+$/, '');
  return one !== undefined && other !== undefined && one.origin === other.origin && path(one) === path(other);
};
