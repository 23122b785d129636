import type { LaneItem } from '@svc-pay/core';
import { type Hex, parseTransaction, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';

let anvil: Anvil;
let world: LaneWorld;
let validBeforeSeconds: bigint;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
  validBeforeSeconds = (await world.deployer.getBlock()).timestamp + 9_000n;
});
afterAll(() => anvil.stop());

/** Distinct payers, for whom nothing is warm. */
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

/** The processor wants this much left before its last call when a transfer may burn 200,000. */
const LEFT_AT_LAST_CALL = 213_175n;

/** Mines them with the formula's gas, and holds it to what they needed even if a fifth of that was refunded afterwards. */
async function outcomesOf(items: readonly LaneItem[]): Promise<Set<string>> {
  expect(world.lane.fit(items).items).toHaveLength(items.length);
  const flying = await world.mine(items);
  const [mined] = await world.lane.findMined([flying]);
  const { raw, transactionId } = flying.transactions[0]!;
  const { gas = 0n } = parseTransaction(toHex(raw));
  const { gasUsed } = await world.deployer.getTransactionReceipt({ hash: transactionId as Hex });
  expect(gas).toBeLessThanOrEqual(16_777_216n);
  expect(gas).toBeGreaterThan((gasUsed * 5n) / 4n + LEFT_AT_LAST_CALL);
  return new Set(mined!.items.map(({ outcome }) => outcome));
}

test('200 up-to payments of distinct payers to one payout', async () => {
  expect(await outcomesOf(await payments(200, () => ({ settledAtomic: 400n })))).toEqual(new Set(['settled']));
}, 30_000);

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
  expect(await outcomesOf(await payments(150, wanted))).toEqual(new Set(['settled']));
}, 30_000);

test('recipients who are all blocked, so that every leg is kept for its owner', async () => {
  const payouts = await newPayouts(4, 8);
  for (const { merchant, splits } of payouts) {
    for (const account of [merchant, ...splits.map(({ to }) => to)]) {
      const hash = await world.deployer.writeContract({
        address: world.token,
        abi: mockUsdcAbi,
        functionName: 'setBlacklisted',
        args: [account as Hex, true],
      });
      await world.waitMined(hash);
    }
  }
  const items = await payments(8, (index) => ({ payout: payouts[index % 4]! }));
  expect(await outcomesOf(items)).toEqual(new Set(['settled']));
}, 30_000);

test('a single payment', async () => {
  expect(await outcomesOf(await payments(1, () => ({})))).toEqual(new Set(['settled']));
});
