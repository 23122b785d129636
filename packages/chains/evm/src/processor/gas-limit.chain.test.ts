import type { LaneItem } from '@svc-pay/core';
import { decodeFunctionResult, type Hex, numberToHex, parseTransaction, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { DEFAULT_CALL_GAS, meterOf } from './gas-limit.ts';
import { laneCall } from './lane-call.ts';

/** Runtime code that loops for ever. */
const BURNS_GAS = '0x5b600056';

let anvil: Anvil;
let world: LaneWorld;
let validBeforeSeconds: bigint;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
  validBeforeSeconds = (await world.deployer.getBlock()).timestamp + 9_000n;
});
afterAll(() => anvil.stop());

/** Distinct payers, whose storage is cold. */
async function payments(count: number, wanted: (index: number) => Partial<LaneItem>): Promise<readonly LaneItem[]> {
  const payers = await world.newPayers(count);
  return Promise.all(
    payers.map((payer, index) => world.newItem({ payer, validBeforeSeconds, ...wanted(index) } as object)),
  );
}
const newAddress = () => privateKeyToAddress(generatePrivateKey());
const newPayouts = async (count: number, splits: number) => {
  const payouts: LaneItem['payout'][] = [];
  for (let index = 0; index < count; index += 1) {
    payouts.push(await world.newPayout(Array.from({ length: splits }, () => ({ to: newAddress(), bps: 100 }))));
  }
  return payouts;
};

/** Gas that the processor requires before its last call when a transfer may use 200,000. */
const LEFT_AT_LAST_CALL = 213_175n;

/** Mines the items with the formula's gas, and checks that limit against the gas used even if a fifth was refunded. */
async function outcomesOf(items: readonly LaneItem[]): Promise<Set<string>> {
  expect(world.lane.fit(items).items).toHaveLength(items.length);
  const pendingBatch = await world.mine(items);
  const [mined] = await world.lane.findMined([pendingBatch]);
  const { raw, transactionId } = pendingBatch.transactions[0]!;
  const { gas = 0n } = parseTransaction(toHex(raw));
  const { gasUsed } = await world.deployer.getTransactionReceipt({ hash: transactionId as Hex });
  expect(gas).toBeLessThanOrEqual(16_777_216n);
  expect(gas).toBeGreaterThan((gasUsed * 5n) / 4n + LEFT_AT_LAST_CALL);
  return new Set(mined!.items.map(({ outcome }) => outcome));
}

test('200 payments of distinct payers to one payout', async () => {
  expect(await outcomesOf(await payments(200, () => ({})))).toEqual(new Set(['settled']));
}, 30_000);

test('170 up-to payments of distinct payers to one payout', async () => {
  expect(await outcomesOf(await payments(170, () => ({ settledAtomic: 400n })))).toEqual(new Set(['settled']));
}, 30_000);

test('all payments of one payer and 25 of others burn their stipend: the other payments of the batch settle', async () => {
  const [one, ...others] = await world.newPayers(26);
  const items = [
    ...(await payments(40, () => ({}))),
    ...(await Promise.all(Array.from({ length: 12 }, () => world.newItem({ payer: one!, validBeforeSeconds })))),
    ...(await Promise.all(others.map((payer) => world.newItem({ payer, validBeforeSeconds })))),
    ...(await payments(40, () => ({}))),
  ];
  const burners = new Set([one!, ...others].map(({ address }) => address.toLowerCase()));
  expect((await world.lane.simulate(items)).ok).toBe(true);
  // After the simulation, like an account that delegates itself (EIP-7702) in the block of the batch.
  await world.rpc([...burners].map((payer) => ({ method: 'anvil_setCode', params: [payer, BURNS_GAS] })));
  const [mined] = await world.lane.findMined([await world.mine(items)]);
  expect(mined!.reverted).toBe(false);
  const outcomes = mined!.items.map(
    ({ outcome }, index) => (burners.has(items[index]!.payer) ? 'burner ' : '') + outcome,
  );
  expect(Object.fromEntries(Map.groupBy(outcomes, (outcome) => outcome))).toEqual({
    settled: Array(80).fill('settled'),
    'burner pull_refused': Array(37).fill('burner pull_refused'),
  });
}, 30_000);

/** The least gas with which the batch settles every payment: all that is passed on and left at any call included. */
async function leastGas(items: readonly LaneItem[]): Promise<bigint> {
  const { to, data } = laneCall(items, DEFAULT_CALL_GAS);
  const settles = async (gas: bigint) => {
    const call = { from: world.relayer.account.address, to, data, gas: numberToHex(gas) };
    const [answer] = await world.rpc([{ method: 'eth_call', params: [call, 'latest'] }]);
    if (answer?.ok !== true) return false;
    const codes = decodeFunctionResult({
      abi: paymentProcessorAbi,
      functionName: 'settleBatch',
      data: answer.result as Hex,
    });
    return codes === `0x${'00'.repeat(items.length)}`;
  };
  let [low, high] = [0n, 16_777_216n];
  while (high - low > 1_000n) {
    const middle = (low + high) / 2n;
    if (await settles(middle)) high = middle;
    else low = middle;
  }
  return high;
}

async function block(accounts: readonly string[]): Promise<void> {
  for (const account of accounts) await world.block(account);
}

describe('what a batch of many merchants, cut by the meter, needs', () => {
  const shared = [newAddress(), newAddress()];
  const splitsOf: Record<string, (index: number) => readonly string[]> = {
    'new wallets': () => [],
    'new wallets, and two splits to wallets of their own': () => [newAddress(), newAddress()],
    'new wallets, and two splits to shared wallets': () => shared,
    'new and blocked wallets with none to eight splits': (index) => Array.from({ length: index % 9 }, newAddress),
  };
  test.each(Object.keys(splitsOf))(
    '%s: all settle, within nine tenths of what was metered for it',
    async (name) => {
      const payouts: LaneItem['payout'][] = [];
      for (let index = 0; index < 130; index += 1) {
        payouts.push(await world.newPayout(splitsOf[name]?.(index).map((to) => ({ to, bps: 100 }))));
      }
      if (name.includes('blocked')) {
        const some = payouts.filter(({ id }) => id % 3n === 0n).slice(0, 12);
        await block(some.flatMap(({ merchant, splits }) => [merchant, ...splits.map(({ to }) => to)]));
      }
      const { items, filled } = world.lane.fit(await payments(130, (index) => ({ payout: payouts[index]! })));
      expect(filled).toBe(1);
      const metered = meterOf(items, DEFAULT_CALL_GAS).needed();
      expect(Number(await leastGas(items))).toBeLessThan(0.9 * Number(metered));
      expect(await outcomesOf(items)).toEqual(new Set(['settled']));
    },
    60_000,
  );
});

test('60 payouts whose merchants never held the token', async () => {
  const payouts = await newPayouts(60, 0);
  expect(await outcomesOf(await payments(60, (index) => ({ payout: payouts[index]! })))).toEqual(new Set(['settled']));
}, 30_000);

test('payouts with 8 splits', async () => {
  const payouts = await newPayouts(16, 8);
  const wanted = (index: number) => ({ payout: payouts[index % 16]! });
  expect(await outcomesOf(await payments(32, wanted))).toEqual(new Set(['settled']));
}, 30_000);

test('codes that share no word of the bitmap, to one payout', async () => {
  const wanted = (index: number) => ({ settledAtomic: 400n, intentCode: BigInt(index + 1) << 48n });
  expect(await outcomesOf(await payments(130, wanted))).toEqual(new Set(['settled']));
}, 30_000);

test('recipients who are all blocked, so that every leg is kept for its owner', async () => {
  const payouts = await newPayouts(4, 8);
  await block(payouts.flatMap(({ merchant, splits }) => [merchant, ...splits.map(({ to }) => to)]));
  const items = await payments(8, (index) => ({ payout: payouts[index % 4]! }));
  expect(await outcomesOf(items)).toEqual(new Set(['settled']));
}, 30_000);

test('a single payment', async () => {
  expect(await outcomesOf(await payments(1, () => ({})))).toEqual(new Set(['settled']));
});

test('200 direct payments of distinct payers to one wallet', async () => {
  const payout = await world.newDirectPayout();
  expect(await outcomesOf(await payments(200, () => ({ payout })))).toEqual(new Set(['settled']));
}, 30_000);

test('100 direct payments to as many wallets that never held the token', async () => {
  const payouts: LaneItem['payout'][] = [];
  for (let index = 0; index < 100; index += 1) payouts.push(await world.newDirectPayout());
  expect(await outcomesOf(await payments(100, (index) => ({ payout: payouts[index]! })))).toEqual(new Set(['settled']));
}, 30_000);

test('direct: all payments of one payer and 25 of others burn their stipend, and the other payments settle', async () => {
  const payout = await world.newDirectPayout();
  const [one, ...others] = await world.newPayers(26);
  const wanted = { payout, validBeforeSeconds };
  const items = [
    ...(await payments(40, () => ({ payout }))),
    ...(await Promise.all(Array.from({ length: 12 }, () => world.newItem({ payer: one!, ...wanted })))),
    ...(await Promise.all(others.map((payer) => world.newItem({ payer, ...wanted })))),
    ...(await payments(40, () => ({ payout }))),
  ];
  const burners = new Set([one!, ...others].map(({ address }) => address.toLowerCase()));
  await world.rpc([...burners].map((payer) => ({ method: 'anvil_setCode', params: [payer, BURNS_GAS] })));
  const simulation = await world.lane.simulate(items);
  const [mined] = await world.lane.findMined([await world.mine(items)]);
  expect(mined!.reverted).toBe(false);
  const expected = items.map(({ payer }) => (burners.has(payer) ? 'pull_refused' : 'settled'));
  expect(mined!.items.map(({ outcome }) => outcome)).toEqual(expected);
  expect(simulation).toMatchObject({ ok: true, outcomes: expected });
}, 30_000);
