import type { FoundTransaction, LaneItem } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { encodeFunctionData, hexToBytes } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { singleTransferData } from '../direct/single-transfer.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { laneCall } from '../processor/lane-call.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { findByNonce } from './find-by-nonce.ts';
import { findOnChainTransactions } from './find-on-chain-transactions.ts';
import { readOnChainTransaction } from './read-on-chain-transaction.ts';

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

const FIELDS = [
  'intentCode',
  'asset',
  'processor',
  'kind',
  'byContract',
  'payer',
  'capAtomic',
  'settledAtomic',
  'validAfterSeconds',
  'validBeforeSeconds',
  'nonce',
  'signature',
] as const;
const told = (item: Pick<LaneItem, (typeof FIELDS)[number]>) =>
  Object.fromEntries(FIELDS.map((name) => [name, item[name]]));

const readOnChain = (ids: readonly string[]) =>
  readOnChainTransaction(world.rpc, evmNetwork(world.record.chainId), ids, [world.record.processor.toLowerCase()]);

async function blocks() {
  return { fromBlock: BigInt(world.record.fromBlock), toBlock: await world.deployer.getBlockNumber({ cacheTime: 0 }) };
}

test('a mined batch is read back as it was signed: bytes, nonce, every payment, and which of them settled', async () => {
  const [poor] = [privateKeyToAccount(`0x${'a7'.repeat(32)}`)];
  const items = [
    await world.newItem({ capAtomic: 900n, settledAtomic: 123n }),
    await world.newItem({ kind: 'receive_with_authorization', payout: await world.newPayout() }),
    await world.newItem({ payer: poor }),
  ];
  const batch = await world.mine(items);
  const [signed] = batch.transactions;
  const [onChain] = await readOnChain([signed!.transactionId]);
  expect(onChain).toMatchObject({
    form: 'settle',
    nonce: batch.nonce,
    relayer: privateKeyToAccount(world.relayerKey).address.toLowerCase(),
  });
  expect(Buffer.from(onChain!.raw).equals(Buffer.from(signed!.raw))).toBe(true);
  expect(onChain!.carried.map(told)).toEqual([items[0], items[2], items[1]].map((item) => told(item!)));
  expect(onChain!.settled.map(({ intentCode }) => intentCode)).toEqual([items[0]!.intentCode, items[1]!.intentCode]);
  const found: FoundTransaction[] = [];
  for await (const page of findOnChainTransactions(world.rpc, [world.record.processor], [], await blocks()))
    found.push(...page);
  expect(found.map(({ transactionId }) => transactionId)).toContain(signed!.transactionId);
});

test('a batch of direct payments, and one alone, are read back from calldata, and found by the wallet’s receipts', async () => {
  const [payout, other] = [await world.newDirectPayout(), await world.newDirectPayout()];
  const items = [
    await world.newItem({ payout, capAtomic: 900n }),
    await world.newItem({ payout: other }),
    await world.newItem({ payout, payer: privateKeyToAccount(`0x${'a8'.repeat(32)}`) }),
  ];
  const single = await world.newItem({ payout: other });
  const [batch, alone] = [await world.mine(items), await world.mine([single])];
  const ids = [batch, alone].map(({ transactions }) => transactions[0]!.transactionId);
  const [many, one] = await readOnChain(ids);
  const expected = [items[0], items[2], items[1]].map((item) => ({
    ...told(item!),
    direct: true,
    payoutId: item!.payout.id,
  }));
  const carried = (onChain: typeof many) =>
    onChain!.carried.map((payment) => ({ ...told(payment), direct: payment.direct, payoutId: payment.payoutId }));
  expect(carried(many)).toEqual(expected);
  expect(many!.settled.map(({ intentCode }) => intentCode)).toEqual([items[0]!.intentCode, items[1]!.intentCode]);
  expect(carried(one)).toEqual([{ ...told(single), direct: true, payoutId: other.id }]);
  expect(one).toMatchObject({ form: 'settle', nonce: alone.nonce, settled: [{ intentCode: single.intentCode }] });
  expect(Buffer.from(many!.raw).equals(Buffer.from(batch.transactions[0]!.raw))).toBe(true);
  const wallets = [payout, other].map(({ merchant }) => ({ wallet: merchant, asset: world.token.toLowerCase() }));
  const found: string[] = [];
  for await (const page of findOnChainTransactions(world.rpc, [world.record.processor], wallets, await blocks()))
    found.push(...page.map(({ transactionId }) => transactionId));
  expect(found.slice(-2)).toEqual(ids);
});

test('a transaction that was undone as a whole leaves no log, and is found by its nonce', async () => {
  const settled = await world.mine([await world.newItem()]);
  const nonce = await world.lane.minedNonce();
  // The same call again: its one payment is settled, so that nothing of it can be done.
  const raw = await world.lane.sign(
    [await world.newItem({ wallet: { address: `0x${'c0'.repeat(20)}`, signature: '0x00' } })],
    nonce,
  );
  await world.lane.broadcast(raw.raw);
  await world.waitMined(raw.transactionId);
  const sender = privateKeyToAccount(world.relayerKey).address.toLowerCase();
  await world.mine([await world.newItem()]);
  expect(await findByNonce(world.rpc, sender, nonce, await blocks())).toBe(raw.transactionId);
  expect(await findByNonce(world.rpc, sender, settled.nonce, await blocks())).toBe(
    settled.transactions[0]?.transactionId,
  );
  const [onChain] = await readOnChain([raw.transactionId]);
  expect(onChain).toMatchObject({ form: 'settle', settled: [], carried: [{ byContract: true }] });
  expect(hexToBytes(`0x${Buffer.from(onChain!.raw).toString('hex')}`)).toEqual(
    hexToBytes(`0x${Buffer.from(raw.raw).toString('hex')}`),
  );
});

test('a contract that only looks like a processor settles and returns nothing, and does not stop the restore', async () => {
  const { stranger, token } = world;
  const hostile = privateKeyToAccount(`0x${'a9'.repeat(32)}`).address;
  const [payer, nonce] = [stranger.account.address, `0x${'17'.repeat(32)}`] as const;
  const authorization = { kind: 0, from: payer, value: 5n, validAfter: 0n, validBefore: 9n, nonce };
  const abi = paymentProcessorAbi;
  const calls = [
    encodeFunctionData({ abi, functionName: 'settleStranded', args: [token, 7n, 1n, authorization, 5n, '0x00'] }),
    encodeFunctionData({ abi, functionName: 'returnStranded', args: [token, authorization, '0x00'] }),
    encodeFunctionData({ abi, functionName: 'settleBatch', args: [token, []] }),
    laneCall([await world.newItem()], 200_000n).data,
  ];
  const ids: string[] = [];
  for (const data of calls) ids.push(await stranger.sendTransaction({ to: hostile, data, gas: 900_000n }));
  // A direct payment's call in an old type of transaction, which our lanes never sign.
  const { to, data } = laneCall([await world.newItem({ payout: await world.newDirectPayout() })], 200_000n);
  ids.push(await stranger.sendTransaction({ to, data, gas: 900_000n, type: 'legacy' }));
  for (const id of ids) await world.waitMined(id);
  const nothing = { form: 'other', carried: [], settled: [] };
  expect(await readOnChain(ids)).toMatchObject(ids.map(() => nothing));
  // Even of a processor of ours a call alone proves nothing: its log does.
  const silent = await readOnChainTransaction(world.rpc, evmNetwork(world.record.chainId), ids.slice(0, 2), [
    hostile.toLowerCase(),
  ]);
  expect(silent.map(({ form, resolved }) => [form, resolved])).toEqual([
    ['resolve_stranded', undefined],
    ['resolve_stranded', undefined],
  ]);
});

test.each(['settle', 'return'] as const)('a %s of stranded money is read back with its terms', async (action) => {
  const item = await world.newItem({ capAtomic: 900n, settledAtomic: 900n });
  // Somebody submits the authorization at the token itself, so that the money lies at the processor.
  await world.waitMined(await world.stranger.sendTransaction({ to: world.token, data: singleTransferData(item) }));
  const { to, data } = laneCall(
    [{ ...item, strandedTransfer: { action } as LaneItem['strandedTransfer'] & {} }],
    200_000n,
  );
  const id = await world.recovery.sendTransaction({ to, data });
  await world.waitMined(id);
  const [onChain] = await readOnChain([id]);
  expect(onChain).toMatchObject({ form: 'resolve_stranded', resolved: { action, carried: { nonce: item.nonce } } });
});
