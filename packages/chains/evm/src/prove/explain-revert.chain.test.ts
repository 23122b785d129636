import type { LaneItem } from '@svc-pay/core';
import { concat, createTestClient, type Hex, http, keccak256, numberToHex, padHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pauseProcessor } from '../admin/pause-processor.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { findMined } from './find-mined.ts';

/** `tx.gasprice == 0 ? ERC-1271's magic value : invalid opcode`: accepts every call without a gas price. */
const BURNS_WHEN_PAID = '0x3a601457631626ba7e60e01b60005260206000f35bfe';
const SAYS_YES = '0x631626ba7e60e01b60005260206000f3';
const BURNS = '0xfe';
const SIGNATURE: Hex = `0x${'11'.repeat(66)}`;

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

const setCode = (address: Hex, bytecode: Hex) =>
  createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).setCode({ address, bytecode });

async function newBurner(code: Hex = BURNS_WHEN_PAID): Promise<Hex> {
  const address = privateKeyToAddress(generatePrivateKey());
  await setCode(address, code);
  await world.mint(address);
  return address;
}
/** Outcome of a single payment. */
async function outcomeOf(item: LaneItem, before?: () => Promise<unknown>) {
  await before?.();
  const pendingBatch = await world.mine([item]);
  const [mined] = await world.lane.findMined([pendingBatch]);
  return { pendingBatch, reverted: mined?.reverted, outcome: mined?.items[0]?.outcome };
}

test('a wallet that burns gas wherever gas has a price is found by the simulation, which has one', async () => {
  const wallet = { address: await newBurner(), signature: SIGNATURE };
  const item = await world.newItem({ wallet });
  expect(await world.lane.simulate([item])).toMatchObject({ ok: true, outcomes: ['pull_refused'] });
});

test('a wallet that passes the simulation and burns the gas of the transaction has reverted alone', async () => {
  const wallet = { address: await newBurner(SAYS_YES), signature: SIGNATURE };
  const item = await world.newItem({ wallet });
  expect(await world.lane.simulate([item])).toMatchObject({ ok: true, outcomes: ['settled'] });
  const burnt = await outcomeOf(item, () => setCode(wallet.address, BURNS));
  expect(burnt).toMatchObject({ reverted: true, outcome: 'reverted_alone' });
});

test('an authorization that somebody else used first is told as used, not as the payer’s fault', async () => {
  const item = await world.newItem({ kind: 'permit' });
  const again = { ...item, intentCode: item.intentCode + 1n };
  await world.mine([item]);
  expect(await outcomeOf(again)).toMatchObject({ reverted: true, outcome: 'authorization_used' });
});

test('an amount above the hourly cap waits', async () => {
  const { capRoomAtomic = 0n } = await world.lane.simulate([await world.newItem()]);
  const tooMuch = capRoomAtomic + 1n;
  const payer = privateKeyToAccount(generatePrivateKey());
  const slot = keccak256(concat([padHex(payer.address), padHex('0x2')]));
  const params = [world.token, slot, numberToHex(tooMuch, { size: 32 })];
  await world.rpc([{ method: 'anvil_setStorageAt', params }]);
  const item = await world.newItem({ payer, capAtomic: tooMuch });
  const simulation = await world.lane.simulate([item]);
  expect(simulation).toMatchObject({ ok: false, cause: 'over_cap' });
  expect(simulation.capRoomAtomic).toBe(capRoomAtomic);
  expect(await outcomeOf(item)).toMatchObject({ reverted: true, outcome: 'refused_for_now' });
});

test('a node that no longer has the block’s state answers by its latest block', async () => {
  const wallet = { address: await newBurner(), signature: SIGNATURE };
  const { pendingBatch } = await outcomeOf(await world.newItem({ wallet }));
  const pruned: JsonRpc = async (calls) =>
    (await world.rpc(calls)).map((answer, index) =>
      calls[index]?.method === 'eth_call' && calls[index].params[1] !== 'latest'
        ? { ok: false, code: -32_000, message: 'missing trie node', data: null }
        : answer,
    );
  const [mined] = await findMined(pruned, [pendingBatch]);
  expect(mined?.items[0]?.outcome).toBe('reverted_alone');
});

test('a processor that was paused meanwhile is no payment’s fault', async () => {
  const item = await world.newItem();
  const paused = await outcomeOf(item, () => pauseProcessor(world.guardian, world.record.processor));
  expect(paused).toMatchObject({ reverted: true, outcome: 'refused_for_now' });
});
