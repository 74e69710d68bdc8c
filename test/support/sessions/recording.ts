// What it takes to record one session of the real host.
import type { Host } from '../host.ts';
import type { Script } from '../host-script.ts';

/** One session to record. `minutes` is what its timestamps are stretched to. */
export type Recording = {
  readonly name: string;
  readonly minutes: number;
  readonly files: Readonly<Record<string, string>>;
  readonly script: (project: string) => Script;
  readonly drive: (host: Host) => Promise<void>;
  readonly allow?: readonly string[];
  readonly permissionMode?: string;
};
