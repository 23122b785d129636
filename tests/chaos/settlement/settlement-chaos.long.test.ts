// The proof that the checker of `npm run chaos -- settlement` can see.
import { expect, test } from 'vitest';
import { silent } from '../../progress.ts';
import { runSettlementChaos } from './run-settlement.ts';

test('a settlement that records before the receipt is found, although its own watchers mend the books', async () => {
  const kinds = ['settlements killed'];
  const plan = { payments: 30, faults: 1, seed: 22, kinds, bug: 'recordingEarly', patienceMs: 12_000 } as const;
  const { violations } = await runSettlementChaos(plan, silent);
  expect(violations).toContainEqual(
    expect.objectContaining({ rule: 'books', text: expect.stringContaining('no block ever said so') }),
  );
});
