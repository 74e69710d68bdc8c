// The manifests against the host's contract: one unknown key silently drops all monitors, so every shape is held strictly.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MONITOR_DESCRIPTION } from '../src/main/floor/marks.ts';

const json = (path: string): Record<string, unknown> => JSON.parse(readFileSync(join('plugin', path), 'utf8')) as Record<string, unknown>;
const keys = (value: unknown): string[] => Object.keys(value as object).sort();

describe('plugin.json', () => {
  const manifest = json('.claude-plugin/plugin.json');

  test('names the plugin and declares neither hooks nor monitors, which load from their default files', () => {
    expect(manifest['name']).toBe('second-brain');
    expect(manifest['version']).toBe((JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version);
    expect(keys(manifest)).toEqual(['author', 'description', 'keywords', 'license', 'name', 'userConfig', 'version']);
  });

  test('A4: the default hooks file is not named again', () => expect(manifest).not.toHaveProperty('hooks'));

  test('user options have the fields the host knows, and none of them is required or secret', () => {
    const options = manifest['userConfig'] as Record<string, Record<string, unknown>>;
    expect(keys(options)).toEqual(['model', 'provider']);
    for (const [key, option] of Object.entries(options)) {
      expect(key).toMatch(/^[A-Za-z_]\w*$/);
      expect(keys(option)).toEqual(['default', 'description', 'title', 'type']);
      expect(option['type']).toBe('string');
    }
  });
});

describe('hooks.json', () => {
  const TIMEOUTS: Readonly<Record<string, number>> = { SessionStart: 5, UserPromptSubmit: 60, PostToolUse: 5, PostToolUseFailure: 5, SubagentStop: 5, Stop: 5, StopFailure: 5, SessionEnd: 1 };
  const file = json('hooks/hooks.json');

  test('registers exactly the events we use', () => {
    expect(keys(file)).toEqual(['description', 'hooks']);
    expect(keys(file['hooks'])).toEqual(Object.keys(TIMEOUTS).sort());
  });

  // A shell exits 2 for a script that is not there, and 2 blocks the host: an update may take the folder from a running session.
  const GATE = ['-c', '[ -r "$0" ] && . "$0"; exec cat >/dev/null'];

  test.each(Object.entries(TIMEOUTS))('A5, A8, A11: %s runs the guard if it is there, with nothing expanded in a shell line, at most %i s, for every matcher', (event, timeout) => {
    expect((file['hooks'] as Record<string, unknown>)[event]).toEqual([
      { hooks: [{ type: 'command', command: '/bin/sh', args: [...GATE, '${CLAUDE_PLUGIN_ROOT}/dist/guard.sh', '${CLAUDE_PLUGIN_DATA}', event], timeout }] },
    ]);
  });
});

describe('monitors.json', () => {
  const monitors = JSON.parse(readFileSync('plugin/monitors/monitors.json', 'utf8')) as unknown;

  test('is a bare array of one monitor with the three known keys', () => {
    expect(Array.isArray(monitors)).toBe(true);
    expect((monitors as unknown[]).map(keys)).toEqual([['command', 'description', 'name']]);
  });

  test('its description is the mark by which our own events are told', () => {
    const [{ description = '' } = {}] = monitors as { description?: string }[];
    expect(description).toBe(MONITOR_DESCRIPTION);
    expect(description).not.toMatch(/[&<>"]/);
  });

  test('A10: what the host substitutes into its command stands alone in quoted here-documents, where no character counts', () => {
    const [{ command = '' } = {}] = monitors as { command?: string }[];
    expect([...command.matchAll(/<<'END'\n\$\{(\w+)\}\nEND\n/g)].map(([, name]) => name)).toEqual(['CLAUDE_PLUGIN_ROOT', 'CLAUDE_PLUGIN_DATA']);
    const rest = command.replaceAll(/<<'END'\n[^]*?\nEND\n/g, '');
    expect(rest).not.toContain('${');
    expect(rest.replaceAll(/"[^"]*"/g, '')).not.toContain('$');
  });
});

describe('commands', () => {
  const names = readdirSync('plugin/commands').sort();

  test('are the six of the surfaces', () => {
    expect(names).toEqual(['config', 'forget', 'report', 'run', 'stats', 'why'].map((name) => `second-brain-${name}.md`));
  });

  test.each(names)('%s is hidden from the model and may run node, nothing else', (name) => {
    const text = readFileSync(join('plugin/commands', name), 'utf8');
    const [, head = '', body = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
    const fields = head.split('\n').map((line) => line.slice(0, line.indexOf(':')));
    expect(fields.every((field) => ['description', 'argument-hint', 'disable-model-invocation', 'allowed-tools'].includes(field))).toBe(true);
    // YAML reads `a: b: c` as a fault, and a head that cannot be read hides the command from nobody.
    for (const value of head.split('\n').map((line) => line.slice(line.indexOf(':') + 2))) expect(value).toMatch(/^(?:"[^"]*"|(?![[{&*!|>'%@`#])(?:(?!: | #).)+)$/);
    expect(head).toContain('disable-model-invocation: true');
    expect(head).toContain('allowed-tools: Bash(node:*)');
    expect(body).toContain(`!\`node "\${CLAUDE_PLUGIN_ROOT}/dist/command.cjs" ${name.slice('second-brain-'.length, -'.md'.length)}`);
    expect(body).toContain('--data "${CLAUDE_PLUGIN_DATA}"');
  });
});

test('the marketplace offers this folder under the plugin’s name', () => {
  const { name, plugins } = json('.claude-plugin/marketplace.json') as { name: string; plugins: { name: string; source: string }[] };
  expect(name).toBe('second-brain');
  expect(plugins.map((plugin) => [plugin.name, plugin.source])).toEqual([['second-brain', './']]);
});
