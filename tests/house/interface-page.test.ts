import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const PAGE = 'docs/reference/internet-computer-interface.md';

test('every test that the page of the interface on the Internet Computer names is there', () => {
  const page = readFileSync(PAGE, 'utf8');
  const files = new Map(
    [...page.matchAll(/^- \*\*([A-Z])\*\*: `([^`]+)`/gm)].map(([, letter, file]) => [letter, file]),
  );
  const named = [...page.matchAll(/\*\*([A-Z])\*\* `([^`]+)`/g)];
  const missing = named.filter(([, letter, title = '']) => {
    const file = files.get(letter);
    return file === undefined || !readFileSync(file, 'utf8').includes(title);
  });
  expect(missing.map(([whole]) => whole)).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});

test('every statement that holds on the Internet Computer names a test, and every other one its reason', () => {
  const rows = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:Statement|Field|Call|Event) \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const unproven = rows.filter(([, , holds = '', shown]) => holds.startsWith('yes') && shown === '');
  const bare = rows.filter(([, , holds = '']) => /^(?:no|never|does not apply)$/.test(holds));
  expect([...unproven, ...bare].map(([, statement]) => statement)).toEqual([]);
});
