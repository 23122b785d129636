import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findTransactionOutcome } from '../finality/find-transaction-outcome.ts';
import type { TransactionOutcome } from '../finality/transaction-outcome.ts';
import { provesTransfer } from '../prove/proves-transfer.ts';
import { askNodeAt } from '../rpc/post-call.ts';
import { openNode, type SolanaNode } from '../rpc/solana-node.ts';
import { type Actors, drawActors } from '../testing/actors.ts';
import { type Paying, signPayment } from '../testing/pay.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { DEVNET_USDC } from './local-mint.ts';
import { type LocalSolana, startLocalSolana } from './start-local-chain.ts';

let chain: LocalSolana;
let node: SolanaNode;
let actors: Actors;
let intents = 0;

beforeAll(async () => {
  chain = await startLocalSolana({ slotTimeMs: 20 });
  node = openNode(chain.rpcUrl, 2_000);
  actors = await drawActors();
  const { relayer, payer, merchant, platform } = actors;
  await chain.fundSol(relayer.address, 10_000_000_000n);
  await chain.fundToken(payer.address, 1_000_000_000n);
  await Promise.all([merchant, platform].map((owner) => chain.fundToken(owner, 0n)));
});
afterAll(() => chain.stop());
beforeEach(() => {
  intents += 1;
  Object.assign(chain.faults, { dropSends: 0, failSendsThatLand: 0, refuseRequests: 0, delayMs: 0, dead: false });
  chain.faults.unheard.clear();
});

const paying = () => signPayment(node, actors.terms(`pi_${intents}`), actors);
const pending = ({ transactionId, prepared }: Paying) => ({ transactionId, lifetime: prepared.lifetime });

async function outcomeOf(paid: Paying, nodes = [node]): Promise<TransactionOutcome> {
  for (let looks = 0; looks < 200; looks += 1) {
    const outcome = await findTransactionOutcome(nodes, pending(paid));
    if (outcome.kind !== 'unknown') return outcome;
    await sleep(20);
  }
  return { kind: 'unknown' };
}

test('a payer without any SOL pays merchant and platform in one transaction, for at most 11,000 lamports', async () => {
  const { payer, relayer, merchant, platform, terms } = actors;
  const lamports = async (owner: string) => (await node.accounts([owner]))[0]?.lamports ?? 0n;
  expect(await lamports(payer.address)).toBe(0n);
  const before = await lamports(relayer.address);
  const paid = await paying();
  // Simulated as a lane does it: without the relayer's signature.
  expect(await node.simulate(Uint8Array.from(paid.wire).fill(0, 1, 65))).toMatchObject({ ok: true });
  expect(await node.send(paid.wire)).toEqual({ outcome: 'known' });
  const outcome = await outcomeOf(paid);
  if (outcome.kind !== 'landed') throw new Error(outcome.kind);
  expect(await provesTransfer(outcome.landing, terms(`pi_${intents}`))).toBe(true);
  expect(outcome.landing.costLamports).toBe(before - (await lamports(relayer.address)));
  expect(outcome.landing.costLamports).toBeGreaterThanOrEqual(10_000n);
  expect(outcome.landing.costLamports).toBeLessThanOrEqual(11_000n);
  const account = (owner: string) => tokenAccountOf(owner, DEVNET_USDC, terms('').tokenProgram);
  expect(outcome.landing.changes.get(await account(merchant))?.deltaAtomic).toBe(990_000n);
  expect(outcome.landing.changes.get(await account(platform))?.deltaAtomic).toBe(10_000n);
});

test('the same bytes sent again and again are one payment', async () => {
  const paid = await paying();
  for (let sends = 0; sends < 5; sends += 1) expect(await node.send(paid.wire)).toEqual({ outcome: 'known' });
  const { kind } = await outcomeOf(paid);
  expect(kind).toBe('landed');
  expect(await node.send(paid.wire)).toEqual({ outcome: 'known' });
});

test('a send that the node swallowed is unknown, and lands when the same bytes are sent again', async () => {
  chain.faults.dropSends = 1;
  const paid = await paying();
  expect(await node.send(paid.wire)).toEqual({ outcome: 'known' });
  await sleep(200);
  expect(await findTransactionOutcome([node], pending(paid))).toEqual({ kind: 'unknown' });
  await node.send(paid.wire);
  expect(await outcomeOf(paid)).toMatchObject({ kind: 'landed' });
});

test('a send that was answered with an error may have landed, and is found', async () => {
  chain.faults.failSendsThatLand = 1;
  const paid = await paying();
  expect(await node.send(paid.wire)).toMatchObject({ outcome: 'refused' });
  expect(await outcomeOf(paid)).toMatchObject({ kind: 'landed' });
});

test('a node that refuses for rate, or is gone, leaves everything unknown', async () => {
  const paid = await paying();
  chain.faults.refuseRequests = 1;
  expect(await node.send(paid.wire)).toEqual({ outcome: 'unknown' });
  chain.faults.refuseRequests = 1;
  expect(await findTransactionOutcome([node], pending(paid))).toEqual({ kind: 'unknown' });
  chain.faults.dead = true;
  expect(await node.send(paid.wire)).toEqual({ outcome: 'unknown' });
  expect(await findTransactionOutcome([node], pending(paid))).toEqual({ kind: 'unknown' });
});

test('a node that answers too late has not answered', async () => {
  const paid = await paying();
  chain.faults.delayMs = 300;
  expect(await openNode(chain.rpcUrl, 100).send(paid.wire)).toEqual({ outcome: 'unknown' });
  chain.faults.delayMs = 0;
  await node.send(paid.wire);
  expect(await outcomeOf(paid)).toMatchObject({ kind: 'landed' });
});

test('a status that lags is unknown until it is told, and a second node that tells it alone decides nothing', async () => {
  const second = await chain.openSecondNode();
  const nodes = [node, openNode(second.rpcUrl, 2_000)];
  const paid = await paying();
  chain.faults.unheard.add(paid.transactionId);
  await node.send(paid.wire);
  expect(await outcomeOf(paid, nodes.slice(1))).toMatchObject({ kind: 'landed' });
  expect(await findTransactionOutcome(nodes, pending(paid))).toEqual({ kind: 'unknown' });
  chain.faults.unheard.clear();
  expect(await outcomeOf(paid, nodes)).toMatchObject({ kind: 'landed' });
});

test('a transaction that fails on chain is charged for, moves nothing, and is called failed', async () => {
  const poor = await drawActors();
  await chain.fundSol(poor.relayer.address, 1_000_000_000n);
  await chain.fundToken(poor.payer.address, 1_000_000n);
  await Promise.all([poor.merchant, poor.platform].map((owner) => chain.fundToken(owner, 0n)));
  const paid = await signPayment(node, poor.terms('pi_poor'), poor);
  await chain.fundToken(poor.payer.address, 1n);
  expect(await node.simulate(paid.wire)).toMatchObject({ ok: false });
  await node.send(paid.wire);
  const outcome = await outcomeOf(paid);
  expect(outcome).toMatchObject({ kind: 'failed', landing: { changes: new Map() } });
});

test('errors that Surfpool shortens come as a real node tells them', async () => {
  const ask = askNodeAt(chain.rpcUrl, 2_000);
  const paid = await paying();
  await node.send(paid.wire);
  await outcomeOf(paid);
  const send = (wire: Uint8Array) =>
    ask('sendTransaction', [Buffer.from(wire).toString('base64'), { encoding: 'base64' }]);
  expect(await send(paid.wire)).toMatchObject({ ok: false, code: -32_002n, data: { err: 'AlreadyProcessed' } });
  const forged = Uint8Array.from(paid.wire);
  forged[5] = (forged[5] ?? 0) ^ 1;
  expect(await send(forged)).toMatchObject({ ok: false, code: -32_003n });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

test('the local chain listens on the given ports and has USDC as devnet has it', async () => {
  const [port, wsPort] = [await freePort(), await freePort()];
  const other = await startLocalSolana({ slotTimeMs: 100, port, wsPort });
  expect([other.rpcUrl, other.wsUrl]).toEqual([`http://127.0.0.1:${port}`, `ws://127.0.0.1:${wsPort}`]);
  const [mint] = await openNode(other.rpcUrl).accounts([DEVNET_USDC]);
  expect(mint?.data[44]).toBe(6);
  await other.stop();
  await other.ended;
});
