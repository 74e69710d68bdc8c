// A program for a process of its own, written in a test and bundled with our sources.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles `contents`, whose imports are relative to `src/main`, into a file in `folder`; returns its path. */
export const bundleScript = async (folder: string, contents: string): Promise<string> => {
  const outfile = join(folder, 'script.mjs');
  await build({
    bundle: true, format: 'esm', platform: 'node', outfile,
    // zod's CommonJS parts ask for it.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    stdin: { resolveDir: fileURLToPath(new URL('../../src/main', import.meta.url)), loader: 'ts', contents },
  });
  return outfile;
};
