import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { sampleTokenLedger } from '../testing/sample-token-ledger.ts';
import { readContinuation, refuseLedgerReset } from './decide-ledger-reset.ts';

const anew = { continues: false, length: 9n, waiting: 0, highestCounted: 8n };

test('a ledger that was installed anew may be read anew, once it has passed every block that counts', () => {
  expect(refuseLedgerReset(anew)).toBeUndefined();
  expect(refuseLedgerReset({ ...anew, length: 0n, highestCounted: null })).toBeUndefined();
  expect(refuseLedgerReset({ ...anew, highestCounted: 9n })).toMatchObject({ code: 'ledger_too_short' });
});

test('a ledger that is the same, or whose transfers wait, is not read anew', () => {
  expect(refuseLedgerReset({ ...anew, continues: true })).toEqual({ code: 'ledger_continues' });
  expect(refuseLedgerReset({ ...anew, waiting: 1 })).toEqual({ code: 'transfers_wait', waiting: 1 });
});

test('the last block that was read tells a ledger from another', async () => {
  const { ledger, chain, blocks, add } = sampleTokenLedger('icp:local' as NetworkId);
  for (const atMs of [1, 2, 3]) add(null, atMs);
  const ask = (nextIndex: bigint, lastHash: Uint8Array | null) =>
    readContinuation(chain, { ledger, nextIndex, lastHash });
  const hash = blocks[1]?.hash ?? null;
  expect(await ask(2n, hash)).toEqual({ continues: true, length: 3n });
  expect(await ask(3n, hash)).toEqual({ continues: false, length: 3n });
  expect(await ask(4n, hash)).toEqual({ continues: false, length: 3n });
  expect(await ask(0n, null)).toEqual({ continues: true, length: 3n });
});

test('a ledger that has the block and does not tell it says nothing', async () => {
  const sample = sampleTokenLedger('icp:local' as NetworkId);
  sample.add(null, 1);
  sample.perCall = 0;
  const cursor = { ledger: sample.ledger, nextIndex: 1n, lastHash: new Uint8Array(32) };
  await expect(readContinuation(sample.chain, cursor)).rejects.toThrow(ChainUnavailable);
});
