// Sixth split: what its scenes know of a project beyond what every split does.
import type { Pack } from '../packs.ts';

export type Project = Pack & {
  /** What a comment begins with. */
  readonly comment: string;
  /** Comes near the tests without running one: lists, compiles or parses them. */
  readonly listing: string;
  /** Fetches what the project needs, and how that fails. */
  readonly install: readonly [command: string, error: string];
};
