import { ChainUnavailable } from '@svc-pay/core';
import { createTestClient, type Hex, http } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { readAuthorizationStates } from './read-authorization-status.ts';
import { readFinality } from './read-finality.ts';

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil({ slotsInAnEpoch: 2 });
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

test('an authorization is used at the latest block first, and at the finalized one when that block is final', async () => {
  const [paid, open] = [await world.newItem(), await world.newItem()];
  const pendingBatch = await world.mine([paid]);
  const [mined] = await world.lane.findMined([pendingBatch]);
  expect((await readFinality(world.rpc)).finalizedNumber).toBeLessThan(mined!.blockNumber);
  expect(await readAuthorizationStates(world.rpc, [open, paid], 'latest')).toEqual([false, true]);
  expect(await readAuthorizationStates(world.rpc, [open, paid], 'finalized')).toEqual([false, false]);
  await createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).mine({ blocks: 10 });
  const { finalizedNumber, finalizedTimeSeconds } = await readFinality(world.rpc);
  expect(finalizedNumber).toBeGreaterThanOrEqual(mined!.blockNumber);
  expect(finalizedTimeSeconds).toBe((await world.deployer.getBlock({ blockNumber: finalizedNumber })).timestamp);
  expect(await readAuthorizationStates(world.rpc, [open, paid], 'finalized')).toEqual([false, true]);
  expect(await readAuthorizationStates(world.rpc, [open, paid], mined!.blockNumber - 1n)).toEqual([false, false]);
});

test('a node that does not know, or an address without a token, is no state', async () => {
  await expect(readFinality(async (calls) => calls.map(() => ({ ok: true, result: null })))).rejects.toBeInstanceOf(
    ChainUnavailable,
  );
  const stranger = { ...(await world.newItem()), asset: world.stranger.account.address satisfies Hex };
  await expect(readAuthorizationStates(world.rpc, [stranger], 'latest')).rejects.toBeInstanceOf(ChainUnavailable);
});
