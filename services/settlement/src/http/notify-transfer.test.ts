import { ChainUnavailable, type IcrcStore, type NotifiedBlock } from '@svc-pay/core';
import { sampleTokenLedger } from '@svc-pay/core/testing';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createTransferNotify, type NotifyLimits } from './notify-transfer.ts';

const network = 'icp:local' as NetworkId;
const OFTEN = { all: { everyMs: 1, burst: 1_000 }, ofAccount: { everyMs: 1, burst: 1_000 } };

function world(limits?: Partial<NotifyLimits>) {
  const sample = sampleTokenLedger(network);
  const problems: unknown[] = [];
  const applied: bigint[] = [];
  let hold: Promise<void> = Promise.resolve();
  let handOut: Promise<void> = Promise.resolve();
  const icrc = {
    loadPayable: async () => ({ intentCode: 7n, ways: [{ network, token: sample.ledger, payTo: 'merchant' }] }),
    loadCursor: async () => undefined,
    keep: async () => {},
    apply: async ({ index }) => {
      applied.push(index);
      return { outcome: 'completed', intentId: '', paymentId: '' };
    },
  } satisfies Partial<IcrcStore> as unknown as IcrcStore;
  const chain = {
    ...sample.chain,
    blocks: async (...asked: Parameters<typeof sample.chain.blocks>) => {
      await hold;
      const told = await sample.chain.blocks(...asked);
      await handOut;
      return told;
    },
  };
  const notify = createTransferNotify(
    {
      icrc,
      chains: [chain],
      clock: { nowMs: () => 1 },
      log: () => {},
      onProblem: (problem) => void problems.push(problem),
    },
    { atOnce: 16, perAccount: 4, timeoutMs: 10_000, rates: OFTEN, ...limits },
  );
  const intentId = newId('paymentIntent', 0);
  const block: NotifiedBlock = {
    accountId: newId('account', 0),
    mode: 'test',
    intentId,
    ledger: sample.ledger,
    blockIndex: sample.pay({ from: 'payer', to: 'merchant', amountAtomic: 5n, intentCode: 7n }, 1),
  };
  return {
    sample,
    notify: (change: Partial<NotifiedBlock> = {}) => notify({ ...block, ...change }),
    applied,
    problems,
    holdUntil: (until: Promise<void>) => {
      hold = until;
    },
    handOutAfter: (until: Promise<void>) => {
      handOut = until;
    },
  };
}

test('a block that pays the intent is applied', async () => {
  const { notify, applied } = world();
  expect(await notify()).toEqual({ outcome: 'applied' });
  expect(applied).toEqual([0n]);
});

test('of more calls than may run at once the rest asks nothing, and the places are free afterwards', async () => {
  const { notify, sample, holdUntil } = world({ atOnce: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  holdUntil(promise);
  const running = [notify(), notify()];
  expect(await notify()).toEqual({ outcome: 'unknown' });
  resolve();
  expect((await Promise.all(running)).map(({ outcome }) => outcome)).toEqual(['applied', 'applied']);
  // Both asked for the same block.
  expect(sample.calls).toHaveLength(1);
  expect(await notify()).toEqual({ outcome: 'applied' });
});

test('a call that began before the block was written does not answer for one that began afterwards', async () => {
  const { notify, sample, handOutAfter } = world();
  const { promise, resolve } = Promise.withResolvers<void>();
  const next = { blockIndex: 1n };
  handOutAfter(promise);
  const early = notify(next);
  await expect.poll(() => sample.calls).toHaveLength(1);
  sample.pay({ from: 'payer', to: 'merchant', amountAtomic: 5n, intentCode: 7n }, 1);
  const after = [notify(next), notify(next)];
  resolve();
  const [told, ...later] = await Promise.all([early, ...after]);
  expect(told).toMatchObject({ outcome: 'refused' });
  expect(later).toEqual([{ outcome: 'applied' }, { outcome: 'applied' }]);
  expect(sample.calls).toHaveLength(2);
});

test('one account has no more places than its own, and others find theirs', async () => {
  const { notify, holdUntil } = world({ atOnce: 3, perAccount: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  holdUntil(promise);
  const running = [notify(), notify()];
  expect(await notify()).toEqual({ outcome: 'unknown' });
  running.push(notify({ accountId: newId('account', 1) }));
  resolve();
  expect((await Promise.all(running)).map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied']);
});

test('a ledger that answers too late is not waited for, keeps its place, and its block counts then', async () => {
  const { notify, applied, holdUntil } = world({ atOnce: 1, timeoutMs: 20 });
  const { promise, resolve } = Promise.withResolvers<void>();
  holdUntil(promise);
  expect(await notify()).toEqual({ outcome: 'unknown' });
  expect(await notify()).toEqual({ outcome: 'unknown' });
  expect(applied).toEqual([]);
  resolve();
  await expect.poll(() => applied).toEqual([0n]);
});

test('a ledger that does not answer is nothing to report, any other failure is', async () => {
  const { notify, sample, problems } = world();
  sample.fail = new ChainUnavailable('down');
  expect(await notify()).toEqual({ outcome: 'unknown' });
  expect(problems).toEqual([]);
  sample.fail = new Error('broken');
  expect(await notify()).toEqual({ outcome: 'unknown' });
  expect(problems).toEqual([sample.fail]);
});

test('a ledger that was asked too often is not asked, and nobody is told that the block is missing', async () => {
  const { notify, sample } = world({ rates: { ...OFTEN, ofAccount: { everyMs: 1_000, burst: 2 } } });
  const missing = { blockIndex: 90n };
  expect([await notify(missing), await notify(missing)]).toMatchObject([
    { outcome: 'refused' },
    { outcome: 'refused' },
  ]);
  expect(await notify(missing)).toEqual({ outcome: 'unknown' });
  expect(sample.calls).toHaveLength(2);
  expect(await notify({ ...missing, accountId: newId('account', 1) })).toMatchObject({ outcome: 'refused' });
});
