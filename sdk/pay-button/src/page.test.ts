import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ATTRIBUTES } from './settings/settings.ts';

const here = import.meta.dirname;
const page = readFileSync(`${here}/../../../docs/integrate/button.md`, 'utf8');
const source = globSync('{view,.}/*.ts', { cwd: here })
  .map((file) => readFileSync(`${here}/${file}`, 'utf8'))
  .join('\n');
const section = (heading: string) => page.slice(page.indexOf(`## ${heading}\n`)).split('\n## ')[0] ?? '';
const found = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();

test('the page names every attribute, and none that is not', () => {
  expect(found(section('Attributes'), /^\| `([\w-]+)` \|/gm)).toEqual(
    [...Object.values(ATTRIBUTES), 'lang', 'theme'].sort(),
  );
});

test('the page names every custom property and every part', () => {
  expect(found(page, /`(--svc-pay-[\w-]+)`/g)).toEqual(found(source, /var\((--svc-pay-[\w-]+)/g));
  const parts = page.slice(page.indexOf('Parts for `::part()`')).split('\n\n')[0] ?? '';
  expect(found(parts.replace('`::part()`', ''), /`([\w-]+)`/g)).toEqual(found(source, / part="([\w-]+)"/g));
});

test('the page names every stage', () => {
  const stages = found(readFileSync(`${here}/stage.ts`, 'utf8'), /readonly name: '([\w-]+)'/g);
  const named = found(section('What the payer sees').replaceAll(/\|[^|\n]*\|[^|\n]*\|$/gm, ''), /`([a-z-]+)`/g);
  expect(stages.filter((stage) => !named.includes(stage))).toEqual([]);
});

test('every picture on the page exists', () => {
  for (const picture of found(page, /\]\((images\/[\w.-]+)\)/g)) {
    expect(() => readFileSync(`${here}/../../../docs/integrate/${picture}`)).not.toThrow();
  }
});
