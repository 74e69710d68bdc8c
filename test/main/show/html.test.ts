import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bar, esc, escCut, fold, scriptCode, scriptJson, table } from '../../../src/main/show/html.ts';

describe('text in HTML', () => {
  test('no text opens an element or leaves an attribute, whatever it holds', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void expect(esc(text)).not.toMatch(/[<>"'`\u0000-\u0008\u202a-\u202e\u2066-\u2069]|&(?!#\d+;)/)));
  });
  test('what stands there is what is read', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", '`', 'a', 'é', ' ', '\n', '😀') }), (text) => void expect(esc(text).replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))).toBe(text)));
  });
  test('a cut text keeps within its room once escaped, and never ends inside an escape or a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '&', 'a', '😀', '\ud800'), maxLength: 200 }), fc.integer({ min: 10, max: 120 }), (text, most) => {
        const cut = escCut(text, most);
        expect(cut.length).toBeLessThanOrEqual(most);
        expect(cut.replace(/&#\d+;/g, '')).not.toMatch(/[&<]/);
        expect(cut.isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
    );
  });
  test('a text that fits is whole', () => expect(escCut('a < b', 20)).toBe('a &#60; b'));
  test('JSON holds no markup and still says the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const json = scriptJson({ value, text: `${text}</script><!--` });
        expect(json).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text: `${text}</script><!--` })));
      }),
    );
  });
  test('code cannot end its own element', () => expect(scriptCode('a("</script>"); b("<!--"); c < d')).toBe('a("\\x3c/script>"); b("\\x3c!--"); c < d'));
});

describe('pieces', () => {
  test('a table names itself, its columns and its rows, and can be scrolled by keyboard', () => {
    const html = table('Of <b>', [{ head: 'A' }, { head: 'N', numeric: true }], [['<i>', 3], ['x', { html: '<b>ours</b>' }]]);
    expect(html).toContain('role=region tabindex=0 aria-label="Of &#60;b&#62;"');
    expect(html).toContain('<caption>Of &#60;b&#62;</caption>');
    expect(html).toContain('<th scope=col>A<th scope=col class=n>N</thead>');
    expect(html).toContain('<th scope=row>&#60;i&#62;<td class=n>3');
    expect(html).toContain('<b>ours</b>');
  });
  test('a bar stays within its place, whatever the numbers', () => {
    for (const percent of [-5, 0, 33.333, 400, NaN, Infinity]) {
      const { html } = bar([{ kind: 'a b', from: percent, percent }]) as { readonly html: string };
      const [left, width] = [...html.matchAll(/([\d.]+)%/g)].map(([, n]) => Number(n));
      expect(left).toBeGreaterThanOrEqual(0);
      expect(width).toBeLessThanOrEqual(100);
      expect(html).toContain('class="a b"');
    }
  });
  test('what folds away has a summary as text', () => expect(fold('<x>', 'in', true)).toBe('<details open><summary>&#60;x&#62;</summary>in</details>'));
});
