// The pools as the monitor has them: a bundle of their own, loaded with their first task, since watching begins without it.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { openPools, PoolOptions, Pools } from '../pools.ts';

export type LazyPools = Pick<Pools, 'fork' | 'summarize' | 'project' | 'fileTool' | 'close'>;

/** As `openPools`, loaded when first used. */
export const lazyPools = (options: PoolOptions): LazyPools => {
  let opening: Promise<Pools> | undefined;
  const opened = (): Promise<Pools> =>
    (opening ??= load(options).catch((error: unknown) => {
      opening = undefined; // the next task tries again: out of files now is not out of files for good
      throw error;
    }));
  return {
    fork: async (...task) => (await opened()).fork(...task),
    summarize: async (...task) => (await opened()).summarize(...task),
    project: async (task) => (await opened()).project(task),
    fileTool: async (task) => (await opened()).fileTool(task),
    close: async () => (await opening)?.close(),
  };
};

// Not by import(): in a program that runs from compiled code node 20 knows no loader for it.
const load = async (options: PoolOptions): Promise<Pools> => {
  const path = join(options.dist, 'pools.cjs');
  const loaded: unknown = createRequire(path)(path);
  if (!isPoolsModule(loaded)) throw new Error('pools.cjs is not the bundle it should be');
  return loaded.openPools(options);
};

const isPoolsModule = (loaded: unknown): loaded is { readonly openPools: typeof openPools } =>
  typeof loaded === 'object' && loaded !== null && 'openPools' in loaded && typeof loaded.openPools === 'function';
