import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = 'docs/decisions';
const files = readdirSync(folder).sort();

test('decisions are numbered without a gap and listed in the index', () => {
  expect(files.map((file) => Number.parseInt(file, 10))).toEqual(files.map((_, index) => index + 1));
  const index = readFileSync('docs/README.md', 'utf8');
  expect(files.filter((file) => !index.includes(`(decisions/${file})`))).toEqual([]);
});

test.each(files)('%s has context, decision, consequences and what would change our mind', (file) => {
  const markdown = readFileSync(`${folder}/${file}`, 'utf8');
  expect(markdown.split('\n')[0]).toMatch(new RegExp(`^# ${file.slice(0, 4)}\\. `));
  expect(markdown).toMatch(/^Status: /m);
  const headings = markdown.match(/^## .*$/gm) ?? [];
  expect(headings).toEqual(
    expect.arrayContaining(['## Context', '## Decision', '## Consequences', '## What would change our mind']),
  );
});
