import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIRECT_BATCH_ADDRESS } from '../direct/direct-batch-address.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { deployDirectBatch, directBatchProblems } from './deploy-direct-batch.ts';

let anvil: Anvil;

beforeAll(async () => {
  anvil = await startAnvil();
});

afterAll(() => anvil.stop());

test('anybody deploys it once, at the one address, and a second deployment sends nothing', async () => {
  const [first, second] = [await anvil.newAccount(), await anvil.newAccount()];
  expect(await directBatchProblems(first)).toEqual([`no code at ${DIRECT_BATCH_ADDRESS} on eip155:31337`]);
  expect(await deployDirectBatch(first)).toMatchObject({
    ok: true,
    address: DIRECT_BATCH_ADDRESS,
    transactionHash: expect.stringMatching(/^0x/),
  });
  expect(await deployDirectBatch(second)).toEqual({ ok: true, address: DIRECT_BATCH_ADDRESS, transactionHash: null });
  expect(await second.getTransactionCount({ address: second.account.address })).toBe(0);
  expect(await directBatchProblems(second)).toEqual([]);
});
