import { expect, test } from 'vitest';
import { skippedLines } from './skipped-lines.ts';

test('a skip is found by its own line, and words about skips are not', () => {
  const skip = 'advisories: SKIPPED, the registry gives no advice (405)';
  expect(skippedLines(`started\n${skip}\nadvisories: 0 in production dependencies\nprints SKIPPED\n`)).toEqual([skip]);
});
