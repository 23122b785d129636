import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the lock carries no download address', () => {
  const lock = readFileSync('package-lock.json', 'utf8');
  expect(lock).not.toMatch(/"resolved":\s*"(?!packages|services|sdk|sandbox|tests|contracts|tools|examples)/);
  expect(lock).not.toMatch(/https?:\/\/[^"]*\.tgz/);
});
