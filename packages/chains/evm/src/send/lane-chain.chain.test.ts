import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

describe('a batch', () => {
  test('is fitted, simulated, signed, sent and found with evidence for every payment', async () => {
    const other = await world.newPayout();
    const items = [
      await world.newItem(),
      await world.newItem({ payout: other, settledAtomic: 400n }),
      await world.newItem({ kind: 'receive_with_authorization' }),
    ];
    expect(world.lane.fit(items)).toMatchObject({ items });
    expect(await world.lane.simulate(items)).toMatchObject({ ok: true, outcomes: ['settled', 'settled', 'settled'] });
    const pendingBatch = await world.mine(items);
    const [mined] = await world.lane.findMined([pendingBatch]);
    expect(mined).toMatchObject({
      batchId: pendingBatch.id,
      reverted: false,
      transactionId: pendingBatch.transactions[0]!.transactionId,
    });
    expect(mined?.items.map(({ outcome }) => outcome)).toEqual(['settled', 'settled', 'settled']);
    expect(mined?.items).toMatchObject([
      { feeAtomic: 5n, escrowedFor: [] },
      { feeAtomic: 2n, escrowedFor: [] },
      { feeAtomic: 5n, escrowedFor: [] },
    ]);
    expect(mined?.feeRecipient).toBe(world.plan.feeRecipient.toLowerCase());
  });
});

test('a fee is not raised while the chain made no block since the transaction was signed', async () => {
  const nonce = await world.lane.minedNonce();
  const signed = await world.lane.sign([await world.newItem()], nonce);
  const { timestamp } = await world.deployer.getBlock();
  const at = (seconds: bigint) => ({ ...signed, signedAtMs: Number(seconds) * 1_000 });
  expect(await world.lane.raise(at(timestamp), 'first')).toBeUndefined();
  expect(await world.lane.raise(at(timestamp - 1n), 'first')).toBeDefined();
});
