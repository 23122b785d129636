import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { rehearseSurely } from './rehearse-surely.ts';

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

/** Says that no payer has enough. */
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
  const rehearsal = await rehearseSurely(stage, [await world.newItem()], async () => voters, 500);
  return rehearsal.ok ? rehearsal.outcomes[0] : rehearsal.cause;
};

test('a payment that one node alone sees fail is left where it is; with two against one it goes', async () => {
  expect(await outcomeBy(liar, liar, world.rpc)).toBe('unsure');
  expect(await outcomeBy(liar, liar, world.rpc, world.rpc)).toBe('settled');
});

test('what all who answer see fail fails, and one that does not answer has no vote', async () => {
  expect(await outcomeBy(liar, liar, liar)).toBe('insufficient_funds');
  expect(await outcomeBy(liar, liar, dead)).toBe('insufficient_funds');
  expect(await outcomeBy(world.rpc, world.rpc, liar)).toBe('settled');
});
