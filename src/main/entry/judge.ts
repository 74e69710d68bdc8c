// Who judges the next pass: provider, key and price, chosen on main and kept in memory (SPEC 7.1). Endpoints' refusals are remembered.
import { readJson, setAside, writeJson } from '../floor/json-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import { readAuthority, runKeyCommand } from '../pass/credentials-file.ts';
import { chooseProvider, minCacheable, priceOf, type ProviderChoice } from '../pass/providers.ts';
import type { Judge } from '../watching.ts';

export type JudgeOptions = {
  readonly knobs: () => Knobs;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Real path of the workspace: no program in it prints a key. */
  readonly root: () => string;
  /** endpoints.json, or undefined where nothing may be written. */
  readonly endpoints: string | undefined;
  readonly log: (line: string) => void;
};

type Learnt = { readonly auto_choice?: boolean; readonly reasoning?: 'send' | 'drop' };

export type OpenJudge = ReturnType<typeof openJudge>;

/** The judge in force; `choose` is asked before each pass and cheap when nothing has changed. */
export const openJudge = ({ knobs, env, root, endpoints, log }: JudgeOptions) => {
  const failed = new Set<string>();
  const keys = new Map<string, string>();
  const learnt = new Map<string, Learnt>(Object.entries(endpoints === undefined ? {} : loadEndpoints(endpoints, log)));
  let choice: ProviderChoice = chooseProvider({ knobs: { ...knobs().model, provider: 'local' }, env: {} });
  let problems: readonly string[] = [];
  let authority: string | undefined;

  const commandKey = async (command: string): Promise<string | undefined> => {
    if (command === '') return undefined;
    const known = keys.get(command);
    if (known !== undefined) return known;
    const secret = await runKeyCommand(command, { env, root: root() });
    if (!secret.ok) {
      problems = [...problems, secret.why];
      return undefined;
    }
    keys.set(command, secret.value);
    return secret.value;
  };

  const current = (): Judge => {
    const { provider, key } = choice;
    const model = knobs().model;
    const price = priceOf(provider.model, model);
    return {
      provider: { ...provider, ...learnt.get(endpointOf(choice)), key, ...(authority === undefined ? {} : { ca: authority }) },
      ...(price === undefined || provider.kind === 'local' ? {} : { price }),
      min_cacheable: minCacheable(provider.kind, provider.model),
    };
  };

  return {
    current,
    choose: async (): Promise<Judge> => {
      problems = [];
      const { model } = knobs();
      const command_key = await commandKey(model.provider === 'local' || model.provider === 'host' ? '' : model.key_command);
      choice = chooseProvider({ knobs: model, env, failed: [...failed], ...(command_key === undefined ? {} : { command_key }) });
      problems = [...problems, ...choice.problems];
      const read = choice.ca_file === undefined ? undefined : readAuthority(choice.ca_file);
      authority = read?.ok === true ? read.value : undefined;
      if (read !== undefined && !read.ok) {
        problems = [...problems, read.why];
        log(read.why);
      }
      return current();
    },
    /** Where the key in use came from, in words; never the key. */
    keyFrom: (): string => choice.key_from,
    problems: (): readonly string[] => problems,
    /** The provider refused this key: the next one is taken, and it is said once by whoever asks `problems`. */
    refused: (): void => {
      failed.add(choice.key_from);
      for (const [command] of keys) if (choice.key_from === 'model.key_command') keys.delete(command);
    },
    learnt: (what: Learnt): void => {
      const endpoint = endpointOf(choice);
      learnt.set(endpoint, { ...learnt.get(endpoint), ...what });
      // Read again first: another monitor may have learnt something of another endpoint.
      if (endpoints !== undefined) writeJson(endpoints, { v: 1, ...loadEndpoints(endpoints, log), ...Object.fromEntries(learnt) });
    },
  };
};

const endpointOf = ({ provider }: ProviderChoice): string => `${provider.base_url} ${provider.model}`;

const loadEndpoints = (path: string, log: (line: string) => void): Record<string, Learnt> => {
  const loaded = readJson(path, (raw) => {
    if (typeof raw !== 'object' || raw === null || !('v' in raw) || raw.v !== 1) throw new Error('not endpoints of this version');
    return raw;
  });
  // Learnt anew at the next refusals.
  if (!loaded.ok && loaded.because === 'corrupt') log(`${setAside(path)}: what endpoints refused could not be read (${loaded.why})`);
  if (!loaded.ok) return {};
  return Object.fromEntries(
    Object.entries(loaded.value).flatMap(([endpoint, row]: [string, unknown]) => {
      if (typeof row !== 'object' || row === null) return [];
      const auto_choice = 'auto_choice' in row && row.auto_choice === true;
      const reasoning = 'reasoning' in row && (row.reasoning === 'send' || row.reasoning === 'drop') ? row.reasoning : undefined;
      return [[endpoint, { ...(auto_choice ? { auto_choice } : {}), ...(reasoning === undefined ? {} : { reasoning }) }]];
    }),
  );
};
