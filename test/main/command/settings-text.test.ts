import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { removeProperty, scan, setProperty, valueOf } from '../../../src/main/command/settings-text.ts';
import { installIn, uninstallFrom } from '../../../src/main/command/statusline-settings.ts';

const LAUNCHER = "/home/o'dev/.claude/plugins/data/second-brain-inline/bin/second-brain";

const installed = (text: string): string => {
  const edited = installIn(text, LAUNCHER);
  if (!edited.ok) throw new Error(edited.because);
  return edited.text;
};

const back = (text: string, backup: string | undefined): string => {
  const edited = uninstallFrom(text, backup);
  if (!edited.ok) throw new Error(edited.because);
  return edited.text;
};

const stripped = (text: string): unknown => valueOf(text, scan(text));

const SETTINGS = {
  plain: '{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Bash(npm:*)"]\n  }\n}\n',
  comments: '// mine\n{\n  // the model\n  "model": "opus", /* large */\n  "env": { "A": "1" } // last, no comma\n}\n// end\n',
  trailing: '{\n  "model": "opus",\n  "list": [1, 2,],\n}\n',
  crlf: '{\r\n\t"model": "opus",\r\n\t"theme": "dark"\r\n}\r\n',
  inline: '{"model": "opus", "theme": "dark"}',
  empty: '{}',
  'empty with a comment': '{\n  // nothing yet\n}\n',
  nothing: '',
  bom: '\uFEFF{\n  "model": "opus"\n}\n',
  'a status line of one’s own': '{\n  "statusLine": {\n    "type": "command", // mine\n    "command": "~/bin/line.sh | sed \'s/a/b/\'",\n    "padding": 0\n  },\n  "model": "opus"\n}\n',
  'a fast one': '{"statusLine":{"type":"command","command":"date","refreshInterval":1}}',
};

describe.each(Object.entries(SETTINGS))('settings with %s', (_, text) => {
  test('what was there stays, to the letter, around what is added', () => {
    const after = installed(text);
    const rest = after.replace(/,?\s*"statusLine": \{[^]*?\n?\s*\}(?=,|\s)/, '');
    if (!text.includes('statusLine') && text !== '') for (const piece of text.match(/\/\/[^\r\n]*|\/\*[^]*?\*\/|"[^"]*": (?:"[^"]*"|\{ "A": "1" \})/g) ?? []) expect(rest).toContain(piece);
    expect(stripped(after)).toMatchObject({ statusLine: { type: 'command' } });
    if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('uninstalling brings every byte back', () => expect(back(installed(text), text)).toBe(text));

  test('installing twice changes nothing', () => expect(installIn(installed(text), LAUNCHER)).toEqual({ ok: false, because: 'there' }));

  test('what the user changed meanwhile survives the uninstall', () => {
    const changed = setProperty(installed(text), [], 'later', 'mine');
    const after = back(changed, text);
    expect(stripped(after)).toMatchObject({ later: 'mine' });
    expect(after.includes('statusLine')).toBe(text.includes('statusLine'));
    if (text.includes('padding')) expect(after).toContain('"type": "command", // mine\n');
  });
});

describe('the status line in the settings', () => {
  const own = SETTINGS['a status line of one’s own'];

  test('an existing one runs inside ours and runs alone when our launcher has gone', () => {
    const { statusLine } = stripped(installed(own)) as { statusLine: { command: string; padding: number; refreshInterval: number } };
    expect(statusLine).toMatchObject({ padding: 0, refreshInterval: 2 });
    expect(statusLine.command).toContain(`--wrap '~/bin/line.sh | sed '\\''s/a/b/'\\'''`);
    expect(statusLine.command).toContain('|| exec /bin/sh -c');
  });

  test('one that refreshes faster keeps its pace', () => expect(stripped(installed(SETTINGS['a fast one']))).toMatchObject({ statusLine: { refreshInterval: 1 } }));

  test('without the backup the wrapped command still comes back', () => expect(stripped(back(installed(own), undefined))).toMatchObject({ statusLine: { command: "~/bin/line.sh | sed 's/a/b/'", padding: 0 } }));

  test('without the backup a line of ours alone goes', () => expect(back(installed(SETTINGS.plain), undefined)).toBe(SETTINGS.plain));

  test('a status line that is not ours is not touched', () => expect(uninstallFrom(own, undefined)).toEqual({ ok: false, because: 'not-there' }));

  test.each(['{"statusLine": "x"}', '{"statusLine": {"type": "other", "command": "x"}}', '{"statusLine": {"type": "command"}}'])('%s cannot be kept beside ours, so nothing is done', (text) => {
    expect(installIn(text, LAUNCHER)).toEqual({ ok: false, because: 'not-a-command' });
  });

  test.each(['{', '{"a": }', '[1]', 'nonsense', '{"a": 1} more', '{"a": "x', '/* open', '['.repeat(5000)])('a file that is no settings is left alone: %#', (text) => {
    expect(installIn(text, LAUNCHER)).toMatchObject({ ok: false, because: 'unreadable' });
  });
});

describe('editing text', () => {
  test('any document keeps its values when a property is set, and its text when it is removed again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string().filter((key) => key !== 'x' && key !== '__proto__'), fc.jsonValue()), fc.constantFrom(0, 2, '\t'), fc.jsonValue(), (document, indent, content) => {
        const text = JSON.stringify(document, null, indent);
        const set = setProperty(text, [], 'x', content);
        expect(JSON.parse(set)).toEqual(JSON.parse(JSON.stringify({ ...document, x: content })));
        expect(JSON.parse(removeProperty(set, 'x'))).toEqual(JSON.parse(text));
      }),
    );
  });
});
