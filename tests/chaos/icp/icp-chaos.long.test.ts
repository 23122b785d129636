// The proof that the checker of `npm run chaos -- icp` can see.
import { expect, test } from 'vitest';
import { silent } from '../../progress.ts';
import type { IcpBug } from './icp-bugs.ts';
import { runIcpChaos } from './run-icp.ts';

const FOUND: readonly (readonly [IcpBug, kind: string, rule: string, words: RegExp])[] = [
  ['certificateUnchecked', 'boundary forges blocks', 'no forged money', /the ledger has no transfer/],
  ['cursorEarly', 'settlement killed after move', 'none lost', /counts for nothing/],
  ['blockCountedTwice', 'settlements killed', 'none twice', /counts \d+ times/],
];

test.each(FOUND)('a settlement with the bug %s is found', async (bug, kind, rule, words) => {
  const plan = { payments: 30, faults: 2, seed: 22, kinds: [kind], bug, patienceMs: 12_000 };
  const { violations } = await runIcpChaos(plan, silent);
  expect(violations).toContainEqual(expect.objectContaining({ rule, text: expect.stringMatching(words) }));
});
