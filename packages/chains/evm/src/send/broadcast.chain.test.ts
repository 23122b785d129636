import { createTestClient, http } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEndpoints } from '../rpc/json-rpc.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { broadcast } from './broadcast.ts';

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

test('the same bytes again are known: in the pool, and after they were mined', async () => {
  const chain = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  await chain.setAutomine(false);
  const signed = await world.lane.sign([await world.newItem()], await world.lane.minedNonce());
  expect(await world.lane.broadcast(signed.raw)).toEqual({ outcome: 'known' });
  expect(await world.lane.broadcast(signed.raw)).toEqual({ outcome: 'known' });
  await chain.setAutomine(true);
  await chain.mine({ blocks: 1 });
  await world.waitMined(signed.transactionId);
  expect(await world.lane.broadcast(signed.raw)).toEqual({ outcome: 'known' });
});

test('a replacement that outbids is taken, and the chain mines it instead', async () => {
  const chain = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  await chain.setAutomine(false);
  const items = [await world.newItem()];
  const nonce = await world.lane.minedNonce();
  const first = await world.lane.sign(items, nonce);
  const second = await world.lane.raise(first, 'first');
  if (second === undefined) throw new Error('it may cost more');
  expect(await world.lane.broadcast(first.raw)).toEqual({ outcome: 'known' });
  expect(await world.lane.broadcast(second.raw)).toEqual({ outcome: 'known' });
  expect(await world.lane.broadcast(first.raw)).not.toMatchObject({ outcome: 'not_sent' });
  await chain.setAutomine(true);
  await chain.mine({ blocks: 1 });
  const pendingBatch = {
    id: 'b',
    nonce,
    status: 'broadcast',
    sentAtMs: 0,
    transactions: [first, second],
    items,
  } as const;
  expect(await world.lane.findMined([pendingBatch])).toMatchObject([{ transactionId: second.transactionId }]);
});

test('without ether for gas, or as nonsense, it was not sent', async () => {
  const chain = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  const signed = await world.lane.sign([await world.newItem()], await world.lane.minedNonce());
  const address = world.relayer.account.address;
  const value = await world.deployer.getBalance({ address });
  await chain.setBalance({ address, value: 1n });
  expect(await world.lane.broadcast(signed.raw)).toMatchObject({ outcome: 'not_sent' });
  await chain.setBalance({ address, value });
  expect(await world.lane.broadcast(Uint8Array.of(1, 2, 3))).toMatchObject({ outcome: 'not_sent' });
  expect(await world.lane.broadcast(signed.raw)).toEqual({ outcome: 'known' });
});

test('a node that is down leaves it open, and the next one is asked', async () => {
  const signed = await world.lane.sign([await world.newItem()], await world.lane.minedNonce());
  const dead = 'http://127.0.0.1:9';
  expect(await broadcast(createEndpoints({ urls: [dead], timeoutMs: 500 }), signed.raw)).toEqual({
    outcome: 'unknown',
  });
  expect(await broadcast(createEndpoints({ urls: [dead, anvil.rpcUrl], timeoutMs: 2_000 }), signed.raw)).toEqual({
    outcome: 'known',
  });
});
