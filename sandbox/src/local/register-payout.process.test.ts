import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openAccount, paymentProcessorAbi } from '@svc-pay/evm';
import { type LocalChain, startChain } from '@svc-pay/evm/local';
import { listPayouts, type Operation } from '@svc-pay/postgres/operator';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import { DEV_PAYOUT, registerDevPayout } from './register-payout.ts';
import { readDevSecrets } from './secrets.ts';
import { seedAccount } from './seed-account.ts';

async function payoutOnChain(chain: LocalChain, payoutId: bigint) {
  const reader = await openAccount({ rpcUrl: chain.rpcUrl, privateKey: chain.keys.faucet.privateKey });
  const [head, splits] = await reader.readContract({
    abi: paymentProcessorAbi,
    address: chain.record.processor,
    functionName: 'payout',
    args: [payoutId],
  });
  return { merchant: head.merchant.toLowerCase(), feeBps: head.feeBps, splits: splits.length };
}

test('a chain that lost everything gets the same payout under the same id, and the row stays one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-payout-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const secrets = readDevSecrets(path.join(folder, 'secrets.json'));
  const { pool } = await createTestDatabase();
  const operation: Operation = { pool, nowMs: Date.now(), actor: 'operator:dev' };
  const seed = secrets.chainSeed as `0x${string}`;
  const processors: string[] = [];
  for (let start = 0; start < 2; start += 1) {
    const chain = await startChain({ seed });
    const account = await seedAccount(operation, secrets, chain.network);
    secrets.account = account;
    // Runs at every start; the second run on the same chain changes nothing.
    for (let time = 0; time < 2; time += 1) await registerDevPayout(operation, account.id, chain);
    expect(await payoutOnChain(chain, 1n)).toEqual({
      merchant: DEV_PAYOUT.merchant,
      feeBps: DEV_PAYOUT.feeBps,
      splits: DEV_PAYOUT.splits.length,
    });
    processors.push(chain.record.processor);
    await chain.stop();
  }
  expect(processors[1]).toBe(processors[0]);
  expect(await listPayouts(pool, {})).toMatchObject([{ payoutId: '1', status: 'active' }]);
});
