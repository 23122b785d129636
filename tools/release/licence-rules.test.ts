import { expect, test } from 'vitest';
import { isAllowed } from './licence-rules.ts';

test.each([
  'MIT',
  'Apache-2.0',
  'MIT OR Apache-2.0',
  '(MIT OR GPL-3.0-only)',
  'GPL-2.0-only OR (BSD-3-Clause AND ISC)',
  'Apache-2.0 WITH LLVM-exception',
  'MIT AND (CC0-1.0 OR Proprietary)',
])('%s is allowed', (expression) => {
  expect(isAllowed(expression)).toBe(true);
});

test.each([
  '',
  'GPL-3.0-only',
  'BUSL-1.1',
  'UNLICENSED',
  'SEE LICENSE IN LICENSE.md',
  'MIT AND GPL-3.0-only',
  '(MIT AND GPL-3.0-only) OR BUSL-1.1',
  'mit',
  'MIT OR',
  'OR MIT',
  '(MIT',
  'MIT)',
  'MIT MIT',
  'MIT WITH',
])('"%s" is refused', (expression) => {
  expect(isAllowed(expression)).toBe(false);
});
