// Turns of an imagined agent, drawn by the seed: words nobody else has, calls of which some fail, and where a hook is killed.
import type { Random } from '../../bench/judgment/random.ts';
import type { HookKill, Order, Step } from './orders.ts';
import type { StandIn, World } from './world.ts';

export type Turn = Omit<Extract<Order, { kind: 'turn' }>, 'kind'>;

/** `kill`: the share of hooks that are killed while they run; `mends`: words of commands that answer an advisory. */
export const drawTurn = (random: Random, token: () => string, { steps, kill = 0, mends = [] }: { readonly steps: number; readonly kill?: number; readonly mends?: readonly string[] }): Turn => ({
  prompt: `Please take the next part ${token()} of src/work.ts.`,
  steps: Array.from({ length: steps }, (): Step => {
    const pause_ms = random.int(0, 60);
    if (random.chance(0.3)) return { kind: 'say', text: `Now ${token()} in src/work.ts.`, pause_ms };
    const done = mends.length > 0 && random.chance(0.2) ? ` && ${random.pick(mends)}` : '';
    const more = { ...(random.chance(kill) ? { kill_hook: killOf(random) } : {}), ...(random.chance(0.1) ? { twice: true } : {}) };
    return { kind: 'call', command: `make ${token()} -C src/work.ts${done}`, pause_ms, ...more, ...(random.chance(0.25) ? { fails: `no rule for ${token()}` } : {}) };
  }),
  final: `Part ${token()} is done.`,
  late: random.chance(0.4),
  ...(random.chance(kill) ? { kill_prompt: killOf(random) } : {}),
  ...(random.chance(kill) ? { kill_stop: killOf(random) } : {}),
});

/**
 * Calm turns until everything was looked at: one, and another where the first was continued by us, since such a turn's end
 * brings no pass.
 */
export const calmDown = async (world: World, host: StandIn, random: Random): Promise<void> => {
  for (let turns = 0; turns < 3; turns += 1) {
    await host.turn(drawTurn(random, world.token, { steps: 1 }));
    if (await world.settled(turns === 0 ? 8000 : 20_000)) return;
  }
};

const killOf = (random: Random): HookKill => (random.chance(0.5) ? 'claimed' : random.int(0, 90));
