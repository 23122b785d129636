import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { simulateWithQuorum } from './simulate-with-quorum.ts';

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

/** A node that reports insufficient funds for every payer. */
const liar: JsonRpc = async (calls) =>
  (await world.rpc(calls)).map((answer, index) => {
    if (calls[index]?.method !== 'eth_call' || !answer.ok) return answer;
    const truth = String(answer.result);
    return { ok: true, result: truth.slice(0, 130) + '09'.padEnd(truth.length - 130, '0') };
  });
const dead: JsonRpc = async () => {
  throw new Error('down');
};
const outcomeBy = async (first: JsonRpc, ...voters: readonly JsonRpc[]) => {
  const stage = { rpc: first, relayer: world.relayer.account.address, callGas: 200_000n };
  const simulation = await simulateWithQuorum(stage, [await world.newItem()], async () => voters, 500);
  return simulation.ok ? simulation.outcomes[0] : simulation.cause;
};

test('a payment that one node alone sees fail is left where it is; with two against one it goes', async () => {
  expect(await outcomeBy(liar, liar, world.rpc)).toBe('unsure');
  expect(await outcomeBy(liar, liar, world.rpc, world.rpc)).toBe('settled');
});

test('a payment fails in the simulation if every node that answers says so; a silent node has no vote', async () => {
  expect(await outcomeBy(liar, liar, liar)).toBe('insufficient_funds');
  expect(await outcomeBy(liar, liar, dead)).toBe('insufficient_funds');
  expect(await outcomeBy(world.rpc, world.rpc, liar)).toBe('settled');
});

test('a payment that would end before the next block by the clock of one node has the clock of the slowest that answers', async () => {
  const item = await world.newItem();
  /** A node whose latest block is six seconds before the payment's expiry. */
  const ahead: JsonRpc = async (calls) =>
    (await world.rpc(calls)).map((answer, index) => {
      if (calls[index]?.method !== 'eth_getBlockByNumber' || !answer.ok) return answer;
      const timestamp = `0x${(item.validBeforeSeconds - 6n).toString(16)}`;
      return { ok: true, result: { ...(answer.result as object), timestamp } };
    });
  const stage = { rpc: ahead, relayer: world.relayer.account.address, callGas: 200_000n, blockSeconds: 12n };
  const alone = await simulateWithQuorum(stage, [item], async () => [ahead], 500);
  expect(alone).toMatchObject({ chainTimeSeconds: item.validBeforeSeconds - 6n, blockSeconds: 12n });
  const { chainTimeSeconds } = await simulateWithQuorum(stage, [item], async () => [ahead, world.rpc], 500);
  expect(chainTimeSeconds).toBeLessThan(item.validBeforeSeconds - 12n);
});

test('a simulation that other nodes were asked about tells the room under the cap as well', async () => {
  const stage = { rpc: liar, relayer: world.relayer.account.address, callGas: 200_000n };
  const items = [await world.newItem()];
  const alone = await simulateWithQuorum({ ...stage, rpc: world.rpc }, items, async () => [world.rpc], 500);
  const poor = { ...items[0]!, capAtomic: 10n ** 12n, settledAtomic: 1n };
  const voted = await simulateWithQuorum({ ...stage, rpc: world.rpc }, [poor], async () => [world.rpc, world.rpc], 500);
  expect(voted).toMatchObject({ ok: true, outcomes: ['insufficient_funds'] });
  expect(voted.capRoomAtomic).toBe(alone.capRoomAtomic);
});
