import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configPage, serviceSettingsFile } from './config-page.ts';

test('the configuration page shows the settings as they are', () => {
  expect(readFileSync('docs/reference/config.md', 'utf8')).toBe(configPage());
});

test('the process that starts a service knows the names of its settings', () => {
  expect(readFileSync('packages/runtime/src/config/service-settings.ts', 'utf8')).toBe(serviceSettingsFile());
});
