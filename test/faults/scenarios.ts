// Every scenario of the fault suite. One returns how much it did, and what the checker found.
import type { Random } from '../../bench/judgment/random.ts';
import type { Finding } from './check.ts';
import { clocks } from './clocks.ts';
import { crowd } from './crowd.ts';
import { disks } from './disks.ts';
import { drains } from './drains.ts';
import { kills } from './kills.ts';
import { mail } from './mail.ts';
import { budget, mcp, provider } from './provider.ts';
import { sleeps } from './sleeps.ts';
import { takeover } from './takeover.ts';
import { transcripts } from './transcripts.ts';

export type Scenario = {
  /** `size`: rounds, or whatever the scenario counts; `say` tells a person how it goes. */
  readonly run: (random: Random, size: number, say: (line: string) => void) => Promise<Outcome>;
  /** In `npm test`, and in a full run. */
  readonly small: number;
  readonly full: number;
};

export type Outcome = {
  readonly findings: readonly Finding[];
  /** What was done, by name: `{ rounds: 200, kills: 312 }`. */
  readonly counts: Readonly<Record<string, number>>;
  /** The world's folder, kept when something was found. */
  readonly root?: string;
};

export const scenarios: Readonly<Record<string, Scenario>> = {
  kills,
  takeover,
  mail,
  drains,
  provider,
  mcp,
  budget,
  transcripts,
  clocks,
  disks,
  sleeps,
  crowd,
};
