import { ChainUnavailable, type LaneItem, type PendingBatch } from '@svc-pay/core';
import { createTestClient, http, numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { findMined } from './find-mined.ts';

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

const newAddress = () => privateKeyToAddress(generatePrivateKey()).toLowerCase();
const escrows = async (pendingBatch: PendingBatch) => {
  const [mined] = await world.lane.findMined([pendingBatch]);
  return mined?.items.map((item) => (item.outcome === 'settled' ? item.escrowedFor : item.outcome));
};

test('every payment of a mixed batch gets its own end, in the batch’s order', async () => {
  const other = await world.newPayout();
  const good = await world.newItem();
  const items = [
    good,
    await world.newItem({ payout: other, payer: (await world.newPayers(1))[0]! }),
    await world.newItem({ intentCode: good.intentCode }),
    await world.newItem({ payout: other, validBeforeSeconds: 5n }),
  ];
  const [mined] = await world.lane.findMined([await world.mine(items)]);
  expect(mined?.items.map(({ paymentId, outcome }) => [paymentId, outcome])).toEqual([
    [items[0]!.paymentId, 'settled'],
    [items[1]!.paymentId, 'settled'],
    [items[2]!.paymentId, 'intent_already_settled'],
    [items[3]!.paymentId, 'expired'],
  ]);
});

test('what the relayer paid is the receipt’s own figure', async () => {
  const before = await world.deployer.getBalance({ address: world.relayer.account.address });
  const [mined] = await world.lane.findMined([await world.mine([await world.newItem()])]);
  const after = await world.deployer.getBalance({ address: world.relayer.account.address });
  expect(mined?.gasCostAtomic).toBe(before - after);
});

test('a batch is found by whichever of its transactions was mined; one that is not mined is left out', async () => {
  const items = [await world.newItem()];
  const nonce = await world.lane.minedNonce();
  const stuck = await world.lane.sign(items, nonce);
  const dearer = await world.lane.raise(stuck, 'first');
  if (dearer === undefined) throw new Error('it may cost more');
  expect(dearer.transactionId).not.toBe(stuck.transactionId);
  const pendingBatch: PendingBatch = {
    id: 'batch_1',
    nonce,
    status: 'broadcast',
    sentAtMs: 0,
    transactions: [stuck, dearer],
    items,
  };
  expect(await world.lane.findMined([pendingBatch])).toEqual([]);
  expect(await world.lane.broadcast(dearer.raw)).toEqual({ outcome: 'known' });
  await world.waitMined(dearer.transactionId);
  expect(await world.lane.findMined([pendingBatch])).toMatchObject([{ transactionId: dearer.transactionId }]);
  expect(await world.lane.broadcast(stuck.raw)).toEqual({ outcome: 'known' });
  expect(await world.lane.minedNonce()).toBe(nonce + 1n);
});

test('a transaction that was undone as a whole settles nobody', async () => {
  const items = [await world.newItem(), await world.newItem()];
  const nonce = await world.lane.minedNonce();
  const signed = await world.lane.sign(items, nonce);
  const pausing = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  const snapshot = await pausing.snapshot();
  await pausing.setBalance({ address: world.guardian.account.address, value: 10n ** 20n });
  const hash = await world.guardian.sendTransaction({ to: world.record.processor, data: '0x8456cb59' });
  await world.waitMined(hash);
  expect(await world.lane.broadcast(signed.raw)).toEqual({ outcome: 'known' });
  await world.waitMined(signed.transactionId);
  const pendingBatch = { id: 'b', nonce, status: 'broadcast', sentAtMs: 0, transactions: [signed], items } as const;
  const [mined] = await world.lane.findMined([pendingBatch]);
  expect(mined?.reverted).toBe(true);
  expect(mined?.items.map(({ outcome }) => outcome)).toEqual(['reverted', 'reverted']);
  await pausing.revert({ id: snapshot });
});

describe('parts that could not be delivered are told payment by payment', () => {
  test('a blocked merchant and a blocked split of a batch', async () => {
    const split = newAddress();
    const [one, two] = [await world.newPayout([{ to: split, bps: 100 }]), await world.newPayout()];
    const upto = await world.newItem({ payout: two, settledAtomic: 400n });
    const items = [
      await world.newItem({ payout: one }),
      upto,
      await world.newItem({ payout: one, capAtomic: 50n }),
      await world.newItem({ payout: two }),
    ];
    await world.block(split);
    await world.block(two.merchant);
    const pendingBatch = await world.mine(items);
    const shares = [[split], [two.merchant.toLowerCase()], [], [two.merchant.toLowerCase()]];
    expect(await escrows(pendingBatch)).toEqual(shares);
  });

  test('a blocked fee recipient: of every payment that has a fee', async () => {
    const fee = world.plan.feeRecipient;
    const items = [await world.newItem(), await world.newItem({ capAtomic: 100n })];
    const upto = await world.newItem({ kind: 'permit', settledAtomic: 500n });
    await world.block(fee);
    expect(await escrows(await world.mine(items))).toEqual([[fee.toLowerCase()], []]);
    expect(await escrows(await world.mine([upto]))).toEqual([[fee.toLowerCase()]]);
    await world.block(fee, false);
  });

  test('two legs of one recipient and amount are told apart', async () => {
    const twice = newAddress();
    const [one, two] = [
      await world.newPayout([{ to: twice, bps: 100 }]),
      await world.newPayout([{ to: twice, bps: 100 }]),
    ];
    await world.block(one.merchant);
    const items = [await world.newItem({ payout: one }), await world.newItem({ payout: two })];
    expect(await escrows(await world.mine(items))).toEqual([[one.merchant.toLowerCase()], []]);
  });
});

test('the block of the transaction is its first confirmation, also for a node that names an older head', async () => {
  const pendingBatch = await world.mine([await world.newItem()]);
  const [mined] = await world.lane.findMined([pendingBatch]);
  const confirmationsAt = async (blocksLater: bigint) => {
    const rpc: JsonRpc = async (calls) =>
      (await world.rpc(calls)).map((answer, index) =>
        calls[index]!.method === 'eth_blockNumber'
          ? { ok: true, result: numberToHex(mined!.blockNumber + blocksLater) }
          : answer,
      );
    return (await findMined(rpc, [pendingBatch])).map(({ confirmations }) => confirmations);
  };
  expect(await confirmationsAt(0n)).toEqual([1n]);
  expect(await confirmationsAt(1n)).toEqual([2n]);
  expect(await confirmationsAt(11n)).toEqual([12n]);
  expect(await confirmationsAt(-1n)).toEqual([1n]);
});

describe('nothing is concluded', () => {
  let items: readonly LaneItem[];
  let pendingBatch: PendingBatch;
  beforeAll(async () => {
    items = [await world.newItem()];
    pendingBatch = await world.mine(items);
  });
  const changed =
    (change: (result: Record<string, unknown>) => unknown): JsonRpc =>
    async (calls) =>
      (await world.rpc(calls)).map((answer, index) =>
        answer.ok && calls[index]!.method === 'eth_getTransactionReceipt'
          ? { ok: true, result: change(answer.result as Record<string, unknown>) }
          : answer,
      );
  test.each<[string, JsonRpc]>([
    ['when nobody answers', async () => Promise.reject(new Error('down'))],
    [
      'when the node refuses',
      async (calls) => calls.map(() => ({ ok: false, code: -32_000, message: 'indexing', data: 0 })),
    ],
    ['from a receipt without logs', changed((receipt) => ({ ...receipt, logs: undefined }))],
    ['from a receipt without status', changed((receipt) => ({ ...receipt, status: undefined }))],
  ])('%s', async (_, rpc) => {
    await expect(findMined(rpc, [pendingBatch])).rejects.toBeInstanceOf(ChainUnavailable);
  });
  test('from a receipt with a log of another transaction', async () => {
    const mixed = changed((receipt) => {
      const [first, ...rest] = receipt['logs'] as readonly object[];
      return { ...receipt, logs: [{ ...first, transactionHash: `0x${'00'.repeat(32)}` }, ...rest] };
    });
    expect(await findMined(mixed, [pendingBatch])).toEqual([]);
  });
  test('from a receipt of another transaction, or of one that is pending', async () => {
    const other = changed((receipt) => ({ ...receipt, transactionHash: `0x${'00'.repeat(32)}` }));
    expect(await findMined(other, [pendingBatch])).toEqual([]);
    expect(
      await findMined(
        changed((receipt) => ({ ...receipt, blockHash: null })),
        [pendingBatch],
      ),
    ).toEqual([]);
  });
  test('but a roll-up’s charge for data is part of the cost', async () => {
    const [plain] = await findMined(world.rpc, [pendingBatch]);
    const [charged] = await findMined(
      changed((receipt) => ({ ...receipt, l1Fee: '0x10' })),
      [pendingBatch],
    );
    expect(charged!.gasCostAtomic - plain!.gasCostAtomic).toBe(16n);
  });
});
