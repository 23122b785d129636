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
  test('is fitted, rehearsed, signed, sent and found with evidence for every payment', async () => {
    const other = await world.newPayout();
    const items = [
      await world.newItem(),
      await world.newItem({ payout: other, settledAtomic: 400n }),
      await world.newItem({ kind: 'receive_with_authorization' }),
    ];
    expect(world.lane.fit(items)).toEqual({ items, full: false });
    expect(await world.lane.rehearse(items)).toMatchObject({ ok: true, outcomes: ['settled', 'settled', 'settled'] });
    const flying = await world.mine(items);
    const [mined] = await world.lane.findMined([flying]);
    expect(mined).toMatchObject({
      batchId: flying.id,
      reverted: false,
      transactionId: flying.transactions[0]!.transactionId,
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
