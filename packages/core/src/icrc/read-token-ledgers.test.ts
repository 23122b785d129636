import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { type SampleLedger, sampleTokenLedger } from '../testing/sample-token-ledger.ts';
import type { IcrcStore, IcrcTransfer, LedgerCursor } from './icrc-store.ts';
import { createTokenLedgerReader } from './read-token-ledgers.ts';

const NOW = 1_800_000_000_000;
const network = 'icp:local' as NetworkId;
const paid = (intentCode: bigint) => ({ from: 'payer', to: 'merchant', amountAtomic: 5n, intentCode });

/** What the reader wrote, with a store that keeps it in memory. */
function world(
  given: { readonly beginning?: number; readonly apply?: (transfer: IcrcTransfer) => Promise<string> } = {},
) {
  const sample = sampleTokenLedger(network);
  const kept: IcrcTransfer[] = [];
  const logged: string[] = [];
  const deferred: number[] = [];
  const seen: {
    cursor: LedgerCursor | undefined;
    wholeSinceMs: number | null;
    stopped: boolean;
    isElsewhere: boolean;
  } = {
    cursor: undefined,
    wholeSinceMs: null,
    stopped: false,
    isElsewhere: false,
  };
  const icrc: IcrcStore = {
    loadCursor: async () => seen.cursor && { ...seen.cursor, isStopped: seen.stopped, readAtMs: seen.wholeSinceMs },
    loadBeginning: async () => given.beginning ?? null,
    openCursor: async (cursor) => {
      seen.cursor = cursor;
    },
    moveCursor: async (cursor, { transfers, wholeSinceMs, ...read }) => {
      if (seen.isElsewhere) return false;
      seen.cursor = { ...cursor, ...read };
      seen.wholeSinceMs = wholeSinceMs ?? seen.wholeSinceMs;
      kept.push(...transfers);
      return true;
    },
    stopCursor: async () => {
      seen.stopped = true;
    },
    findBlock: async () => undefined,
    keep: async (transfer) => void kept.push(transfer),
    loadDue: async () => kept.splice(0).map((transfer) => ({ ...transfer, tries: 3 })),
    apply: async (transfer) => {
      const outcome = (await given.apply?.(transfer)) ?? 'recorded';
      return outcome === 'waits' ? { outcome, reason: 'locked' } : { outcome: 'recorded', paymentId: 'pay_1' };
    },
    defer: async (_, nextTryAtMs) => void deferred.push(nextTryAtMs),
    loadPayable: async () => undefined,
  };
  const applied: bigint[] = [];
  const reader = createTokenLedgerReader(
    sample.chain,
    {
      icrc: {
        ...icrc,
        apply: (transfer, nowMs) => {
          applied.push(transfer.index);
          return icrc.apply(transfer, nowMs);
        },
      },
      clock: { nowMs: () => NOW },
      log: (event) => void logged.push(event),
    },
    { everyMs: 1_000, perRun: 6, perCall: 4, applied: 100 },
  );
  return { sample, seen, kept, logged, applied, deferred, run: reader.run };
}

const fill = ({ add }: SampleLedger, count: number, atMs = NOW) => {
  for (let block = 0; block < count; block += 1) add(null, atMs);
};

test('without a payout reading begins at the end of the ledger', async () => {
  const { sample, seen, applied, run } = world();
  sample.pay(paid(1n), NOW);
  await run();
  expect(seen.cursor).toMatchObject({ nextIndex: 1n, lastHash: sample.blocks[0]?.hash });
  expect(seen.wholeSinceMs).toBe(NOW);
  sample.pay(paid(2n), NOW);
  await run();
  expect(applied).toEqual([1n]);
});

test('reading begins with the first block that is not older than the first payout', async () => {
  const { sample, seen, run, applied } = world({ beginning: NOW });
  fill(sample, 20, NOW - 3_600_000);
  sample.pay(paid(1n), NOW - 60_000);
  sample.pay(paid(2n), NOW);
  await run();
  expect(applied).toEqual([20n, 21n]);
  expect(seen.cursor?.nextIndex).toBe(22n);
});

test('a run reads no more blocks than it may, and the next goes on from there', async () => {
  const { sample, seen, run, applied } = world({ beginning: NOW });
  fill(sample, 5);
  for (const code of [1n, 2n, 3n]) sample.pay(paid(code), NOW);
  await run();
  expect([seen.cursor?.nextIndex, seen.wholeSinceMs]).toEqual([6n, null]);
  await run();
  expect([seen.cursor?.nextIndex, seen.wholeSinceMs]).toEqual([8n, NOW]);
  expect(applied).toEqual([5n, 6n, 7n]);
});

test('a ledger that tells fewer blocks than asked for is read on within the run', async () => {
  const { sample, seen, run } = world({ beginning: NOW });
  sample.perCall = 1;
  fill(sample, 5);
  await run();
  expect(seen.cursor?.nextIndex).toBe(5n);
});

test('a ledger that keeps a block back moves nothing and is reported', async () => {
  const { sample, seen, run, logged } = world({ beginning: NOW });
  fill(sample, 2);
  await run();
  fill(sample, 1);
  sample.perCall = 0;
  await run();
  expect(seen.cursor?.nextIndex).toBe(2n);
  expect(logged).toEqual(['row_skipped_chain_unreachable']);
});

test('the cursor stops at a block that does not continue what was read, and nothing after it counts', async () => {
  const { sample, seen, run, logged, applied } = world({ beginning: NOW });
  fill(sample, 3);
  await run();
  const other = sampleTokenLedger(network);
  fill(other, 3, NOW + 1);
  other.pay(paid(1n), NOW);
  sample.blocks.splice(0, 3, ...other.blocks);
  await run();
  expect(logged).toEqual(['token_ledger_forked']);
  expect([seen.stopped, seen.cursor?.nextIndex, applied]).toEqual([true, 3n, []]);
});

test('the cursor stops where blocks do not name each other', async () => {
  const { sample, seen, run, logged, applied } = world({ beginning: NOW });
  fill(sample, 1);
  sample.pay(paid(1n), NOW);
  const [, second] = sample.blocks;
  if (second === undefined) throw new Error('no block');
  sample.blocks[1] = { ...second, parentHash: new Uint8Array(32) };
  await run();
  expect([logged, seen.cursor?.nextIndex, applied]).toEqual([['token_ledger_forked'], 0n, []]);
});

test('a ledger that lost blocks is not read on', async () => {
  const { sample, seen, run, logged } = world({ beginning: NOW });
  fill(sample, 3);
  await run();
  sample.blocks.pop();
  await run();
  expect([logged, seen.stopped]).toEqual([['token_ledger_forked'], true]);
});

test('a cursor that another process moved is left to it', async () => {
  const { sample, seen, run, applied } = world({ beginning: NOW });
  sample.pay(paid(1n), NOW);
  seen.isElsewhere = true;
  await run();
  expect([seen.cursor?.nextIndex, applied]).toEqual([0n, []]);
  expect(sample.calls.length).toBeLessThan(6);
});

test('a transfer that can’t be applied waits longer each time, and holds up no other', async () => {
  const { sample, run, applied, deferred, logged, seen } = world({
    beginning: NOW,
    apply: async ({ intentCode }) => {
      if (intentCode === 1n) throw new Error('no');
      return intentCode === 2n ? 'waits' : 'recorded';
    },
  });
  for (const code of [1n, 2n, 3n]) sample.pay(paid(code), NOW);
  await run();
  expect(applied).toEqual([0n, 1n, 2n]);
  expect(deferred).toEqual([NOW + 8_000, NOW + 8_000]);
  expect(logged).toEqual(['row_skipped']);
  expect(seen.cursor?.nextIndex).toBe(3n);
});

test('what is kept is applied while the ledger does not answer', async () => {
  const { sample, run, kept, applied, logged, seen } = world({ beginning: NOW });
  await run();
  kept.push({ network, ledger: sample.ledger, index: 7n, blockTimeMs: NOW, ...paid(1n) });
  sample.fail = new ChainUnavailable('down');
  await run();
  expect([applied, logged, seen.cursor?.nextIndex]).toEqual([[7n], ['row_skipped_chain_unreachable'], 0n]);
});

test('blocks with no memo of ours, of another kind or of nothing are passed', async () => {
  const { sample, run, applied } = world({ beginning: NOW });
  sample.add({ from: 'payer', to: 'merchant', amountAtomic: 5n, memo: null }, NOW);
  sample.add({ from: 'payer', to: 'merchant', amountAtomic: 5n, memo: new TextEncoder().encode('order 7') }, NOW);
  sample.add(null, NOW);
  sample.pay({ ...paid(1n), amountAtomic: 0n }, NOW);
  sample.pay({ ...paid(1n), amountAtomic: 2n ** 256n }, NOW);
  await run();
  expect(applied).toEqual([]);
});
