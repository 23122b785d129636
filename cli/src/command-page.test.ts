import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandPage } from './command-page.ts';

test('the page of the command is its own help', () => {
  expect(readFileSync('docs/operate/command.md', 'utf8')).toBe(commandPage());
});
