import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { statesPage } from './states-page.ts';

test('the states page shows the tables as they are', () => {
  expect(readFileSync('docs/concepts/states.md', 'utf8')).toBe(statesPage());
});
