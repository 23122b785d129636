import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configPage } from './config-page.ts';

test('the configuration page shows the settings as they are', () => {
  expect(readFileSync('docs/reference/config.md', 'utf8')).toBe(configPage());
});
