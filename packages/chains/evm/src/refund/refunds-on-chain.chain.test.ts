import { type LaneItem, type OpenRefund, type SignedRefundTransfer, TOKENS } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { laneCall } from '../processor/lane-call.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { findRefundOutcomes } from './find-refund-outcomes.ts';
import { readRefundFacts, verifyRefund } from './refund-questions.ts';

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

/** A transfer that a wallet signed, as a lane has it. */
const signedItem = async () => world.newItem({ payout: await world.newDirectPayout(), capAtomic: 700n });

function transferOf(item: LaneItem): SignedRefundTransfer {
  const known = TOKENS.find(({ symbol, network }) => symbol === 'USDC' && network.startsWith('eip155:'));
  if (known === undefined) throw new Error('the catalogue has no USDC');
  const domain = { name: 'USD Coin', version: '2' };
  const token = { ...known, network: evmNetwork(world.record.chainId), address: world.token, domain };
  const { payer: wallet, processor: recipient, capAtomic: amountAtomic, nonce, signature } = item;
  const { validAfterSeconds, validBeforeSeconds } = item;
  return { token, wallet, recipient, amountAtomic, nonce, signature, validAfterSeconds, validBeforeSeconds };
}

const refundOf = (item: LaneItem, change: Partial<OpenRefund> = {}): OpenRefund =>
  ({
    kind: 'authorization',
    asset: item.asset,
    wallet: item.payer,
    recipient: item.processor,
    amountAtomic: item.capAtomic,
    nonce: item.nonce,
    signature: item.signature,
    validBeforeSeconds: item.validBeforeSeconds,
    createdAtMs: Date.now() - 60_000,
    submittedAtMs: Date.now(),
    reported: null,
    wallets: [item.payer],
    payment: { transactionId: null, payer: null, blockNumber: null },
    ...change,
  }) as OpenRefund;

const submit = async (item: LaneItem) => {
  const { to, data } = laneCall([item], 200_000n);
  const hash = await world.stranger.sendTransaction({ to, data, gas: 700_000n });
  await world.waitMined(hash);
  return hash;
};
const HOUR_MS = 3_600_000;
/** Past the finalized height of the chain. */
const finalize = () => world.rpc([{ method: 'anvil_mine', params: ['0x50'] }]);

test('a transfer is told apart that passes, that the wallet cannot pay, and that the token refuses', async () => {
  const transfer = transferOf(await signedItem());
  expect(await readRefundFacts(world.rpc, transfer)).toEqual({
    recipientHasCode: false,
    nonceUsed: false,
    transfer: 'passes',
  });
  expect(await readRefundFacts(world.rpc, { ...transfer, amountAtomic: 10n ** 12n })).toMatchObject({
    transfer: 'insufficient_funds',
  });
  expect(await readRefundFacts(world.rpc, { ...transfer, recipient: world.token })).toMatchObject({
    recipientHasCode: true,
  });
  const blocked = { address: world.token, abi: mockUsdcAbi, functionName: 'setBlacklisted' } as const;
  const args = [transfer.recipient as `0x${string}`, true] as const;
  await world.waitMined(await world.deployer.writeContract({ ...blocked, args }));
  expect(await readRefundFacts(world.rpc, transfer)).toMatchObject({ transfer: 'refused' });
});

test('a signature is good for exactly its transfer, and only until its nonce is used', async () => {
  const item = await signedItem();
  const transfer = transferOf(item);
  expect(await verifyRefund(world.rpc, transfer)).toEqual({ ok: true, byContract: false });
  const invalid = { ok: false, code: 'invalid_signature' };
  expect(await verifyRefund(world.rpc, { ...transfer, amountAtomic: 701n })).toEqual(invalid);
  expect(await verifyRefund(world.rpc, { ...transfer, recipient: world.token })).toEqual(invalid);
  await submit(item);
  expect(await verifyRefund(world.rpc, transfer)).toEqual({ ok: false, code: 'nonce_used' });
});

test('a refund is open until its use is final, whoever submitted it; one node that lies decides nothing', async () => {
  const [used, unused] = [await signedItem(), await signedItem()];
  await finalize();
  const refunds = [refundOf(used), refundOf(unused)];
  const outcomesBy = (...nodes: readonly JsonRpc[]) => findRefundOutcomes(nodes, refunds, Date.now());
  expect(await outcomesBy(world.rpc)).toEqual([{ outcome: 'open' }, { outcome: 'open' }]);
  const transactionId = await submit(used);
  expect(await outcomesBy(world.rpc)).toEqual([{ outcome: 'open' }, { outcome: 'open' }]);
  await finalize();
  const transferred = { outcome: 'transferred', transactionId, amountAtomic: 700n, wallet: used.payer.toLowerCase() };
  expect(await outcomesBy(world.rpc)).toMatchObject([transferred, { outcome: 'open' }]);
  const lying: JsonRpc = async (calls) =>
    (await world.rpc(calls)).map((answer, index) =>
      calls[index]?.method === 'eth_call' ? { ok: true, result: `0x${'0'.repeat(64)}` } : answer,
    );
  expect(await outcomesBy(world.rpc, lying)).toEqual([{ outcome: 'open' }, { outcome: 'open' }]);
  expect(await outcomesBy(world.rpc, lying, world.rpc)).toMatchObject([transferred, { outcome: 'open' }]);
});

test('an unused signature that a final block is past has expired', async () => {
  const item = await signedItem();
  await finalize();
  const outcomes = await findRefundOutcomes([world.rpc], [refundOf(item, { validBeforeSeconds: 5n })], Date.now());
  expect(outcomes).toEqual([{ outcome: 'void', reason: 'expired' }]);
});

test('a reported transaction that no node knows is open for an hour, and text that is none is nothing', async () => {
  const item = await signedItem();
  const reportedAs = (transactionId: string, submittedAtMs: number) =>
    refundOf(item, { kind: 'reported', nonce: null, reported: { transactionId, logIndex: null }, submittedAtMs });
  const unknown = `0x${'ab'.repeat(32)}`;
  const outcomes = await findRefundOutcomes(
    [world.rpc],
    [
      reportedAs(unknown, Date.now()),
      reportedAs(unknown, Date.now() - HOUR_MS - 1_000),
      reportedAs('none', Date.now()),
    ],
    Date.now(),
  );
  const nothing = { outcome: 'void', reason: 'not_found' };
  expect(outcomes).toEqual([{ outcome: 'open' }, nothing, nothing]);
});

test('a reported transfer whose payment no node has any more is compared with the stored block, or ends after a day', async () => {
  const item = await signedItem();
  const transfer = { address: world.token, abi: mockUsdcAbi, functionName: 'transfer' } as const;
  const wallet = world.deployer.account.address;
  await world.waitMined(await world.deployer.writeContract({ ...transfer, functionName: 'mint', args: [wallet, 9n] }));
  const args = [item.processor as `0x${string}`, 9n] as const;
  const transactionId = await world.deployer.writeContract({ ...transfer, args });
  await world.waitMined(transactionId);
  await finalize();
  const reportedAt = (submittedAtMs: number, blockNumber: bigint | null) =>
    refundOf(item, {
      kind: 'reported',
      nonce: null,
      wallets: [wallet],
      reported: { transactionId, logIndex: null },
      submittedAtMs,
      payment: { transactionId: `0x${'ef'.repeat(32)}`, payer: item.processor, blockNumber },
    });
  const nowMs = Date.now();
  const late = nowMs - 24 * HOUR_MS - 1_000;
  const asked = [reportedAt(nowMs, null), reportedAt(late, null), reportedAt(late, 1n), reportedAt(nowMs, 2n ** 40n)];
  expect(await findRefundOutcomes([world.rpc], asked, nowMs)).toMatchObject([
    { outcome: 'open' },
    { outcome: 'void', reason: 'not_found' },
    { outcome: 'transferred', transactionId, amountAtomic: 9n },
    { outcome: 'void', reason: 'no_transfer' },
  ]);
});
