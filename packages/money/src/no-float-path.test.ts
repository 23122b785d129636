// Types keep bigint and number apart; what could still cross is a conversion written out by hand. Each rule is
// shown a line it must catch, so a rule that has gone blind fails as well.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const here = new URL('.', import.meta.url);
const sources = readdirSync(here)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, lines: withoutComments(readFileSync(new URL(name, here), 'utf8')).split('\n') }));

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
}

const forbidden = [
  {
    what: 'a conversion to a number',
    rule: /\bNumber\(|\bparse(?:Float|Int)\b|\bNumber\.parse/,
    caught: 'Number(atomic)',
  },
  { what: 'a unary plus', rule: /(?:[=(,:?]|return|=>)\s*\+[\w(]/, caught: 'return +text;' },
  { what: 'float mathematics', rule: /\bMath\b/, caught: 'Math.floor(settled)' },
  { what: 'a float print', rule: /\.to(?:Fixed|Precision|Exponential)\(/, caught: 'amount.toFixed(2)' },
  {
    what: 'a literal with a fraction or an exponent',
    rule: /(?<![\w'"])\d[\d_]*(?:\.\d|e[-+]?\d)/,
    caught: 'const fee = 0.025;',
  },
  { what: 'a float array or view', rule: /\bFloat(?:16|32|64)/, caught: 'new Float64Array(1)' },
] as const;

test.each(forbidden)('no source has $what', ({ rule, caught }) => {
  expect(caught).toMatch(rule);
  expect(hits(rule)).toEqual([]);
});

test('amounts are divided only where the rounding is named or the remainder is known', () => {
  const files = new Set(hits(/(?:^|\s)\/\s/).map((hit) => hit.split(':')[0]));
  expect(files).toEqual(new Set(['decimal.ts', 'rounding.ts']));
});

test('numbers leave as amounts at one place only', () => {
  expect(hits(/as number|JSON\./)).toEqual([expect.stringMatching(/^usd-micros\.ts:/)]);
});

test('sources import nothing but each other, so the package runs in any browser', () => {
  const imported = hits(/\bfrom '|\bimport\(|\brequire\(|\bimport '/);
  expect(imported.length).toBeGreaterThan(20);
  expect(imported.filter((hit) => !/ from '\.\/[a-z-]+\.ts';$/.test(hit))).toEqual([]);
});

function hits(rule: RegExp): string[] {
  return sources.flatMap(({ name, lines }) =>
    lines.flatMap((line, index) => (rule.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : [])),
  );
}
