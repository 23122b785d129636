import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareOnChain } from '../prepare/prepare-on-chain.ts';
import { openNode, type SolanaNode } from '../rpc/solana-node.ts';
import { type Actors, drawActors } from '../testing/actors.ts';
import { type LiteChain, startLiteChain } from '../testing/lite/start-lite-chain.ts';
import type { PreparedTransfer } from '../transfer/transfer-terms.ts';
import { checkLive } from './check-live.ts';

let chain: LiteChain;
let node: SolanaNode;
let actors: Actors;
beforeAll(async () => {
  chain = await startLiteChain();
  node = openNode(chain.rpcUrl);
  actors = await drawActors();
  await chain.fundToken(actors.payer.address, 1_000_000n);
  await Promise.all([actors.merchant, actors.platform].map((owner) => chain.fundToken(owner, 0n)));
});
afterAll(() => chain.stop());

async function prepare(): Promise<PreparedTransfer> {
  const made = await prepareOnChain([node], actors.terms('pi_1'));
  if (!made.ok) throw new Error(made.code);
  return made.prepared;
}

/** The confirmed height is one block behind the newest. Ends when the height before is forgotten. */
async function advanceConfirmedTo(height: bigint): Promise<void> {
  chain.ledger.advance(height - chain.ledger.slotAt('confirmed'));
  await sleep(250);
}

const EXPIRED = { ok: false, code: 'authorization_expired' };

test('a prepared transaction is taken up to its last height, and not one block later', async () => {
  const { terms, lifetime } = await prepare();
  const check = () => checkLive([node], terms, lifetime.blockhash, lifetime);
  expect(await check()).toEqual({ ok: true, lifetime, balance: 1_000_000n });
  await advanceConfirmedTo(lifetime.lastValidBlockHeight);
  expect(await check()).toEqual({ ok: true, lifetime, balance: 1_000_000n });
  await advanceConfirmedTo(lifetime.lastValidBlockHeight + 1n);
  expect(await check()).toEqual(EXPIRED);
});

test('a blockhash that the client took by itself is good while the chain knows it, and for no longer than the newest', async () => {
  const { terms, lifetime } = await prepare();
  const check = () => checkLive([node], terms, lifetime.blockhash, null);
  chain.ledger.advance(10n);
  const newest = await node.latestLifetime();
  const free = { blockhash: lifetime.blockhash, lastValidBlockHeight: newest.lastValidBlockHeight, slot: 0n };
  expect(await check()).toEqual({ ok: true, lifetime: free, balance: 1_000_000n });
  chain.ledger.advance(141n);
  expect(await check()).toEqual(EXPIRED);
});
