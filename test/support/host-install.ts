// Where the real host's program is, and whether this machine can run it closed off. Fetched into .cache/host, never a dependency.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The version whose behaviour the code is written for. */
const KNOWN_VERSION = '2.1.332';

/** The version under test: `SB_HOST_VERSION` tries an older or a newer one. */
export const HOST_VERSION = process.env['SB_HOST_VERSION'] ?? KNOWN_VERSION;

export type Availability = { readonly ok: true; readonly binary: string } | { readonly ok: false; readonly because: string };

/**
 * Whether the real host can run here: Linux, tmux, permission for a network namespace, and the program (fetched with npm
 * when missing; 400 MB). `because` is a sentence for the name of a skipped test.
 */
export const hostAvailable = (version: string = HOST_VERSION): Availability => {
  if (process.platform !== 'linux') return { ok: false, because: 'the closed network needs Linux' };
  if (!succeeds('tmux', ['-V'])) return { ok: false, because: 'tmux is not installed' };
  if (!succeeds('unshare', [...namespaceFlags(), 'ip', 'link', 'set', 'lo', 'up'])) {
    return { ok: false, because: 'a network namespace is not permitted here' };
  }
  return installHost(version);
};

/** Flags for `unshare`: as root a network namespace is enough, others need a user namespace around it. */
export const namespaceFlags = (): readonly string[] => (process.getuid?.() === 0 ? ['-n'] : ['-r', '-n']);

const installHost = (version: string): Availability => {
  // Versions other than the usual one get a folder each, so that two can be compared.
  const prefix = resolve('.cache/host', version === KNOWN_VERSION ? '.' : version);
  const scope = join(prefix, 'node_modules/@anthropic-ai');
  const binary = join(scope, `claude-code-linux-${process.arch}`, 'claude');
  if (existsSync(binary) && installedVersion(scope) === version) return { ok: true, binary };
  spawnSync('npm', ['i', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', `@anthropic-ai/claude-code@${version}`], { timeout: 300_000 });
  return existsSync(binary) ? { ok: true, binary } : { ok: false, because: `version ${version} of the host could not be fetched` };
};

const installedVersion = (scope: string): string => {
  const manifest: unknown = JSON.parse(readFileSync(join(scope, `claude-code-linux-${process.arch}`, 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
};

const succeeds = (command: string, args: readonly string[]): boolean => spawnSync(command, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
