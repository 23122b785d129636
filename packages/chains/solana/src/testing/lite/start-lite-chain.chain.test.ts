import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTransactionOutcome } from '../../finality/find-transaction-outcome.ts';
import { provesTransfer } from '../../prove/proves-transfer.ts';
import { openNode, type SolanaNode } from '../../rpc/solana-node.ts';
import { type Actors, drawActors } from '../actors.ts';
import { type Paying, signPayment } from '../pay.ts';
import { type LiteChain, startLiteChain } from './start-lite-chain.ts';

let chain: LiteChain;
let node: SolanaNode;
let actors: Actors;

beforeAll(async () => {
  chain = await startLiteChain();
  node = openNode(chain.rpcUrl);
  actors = await drawActors();
  chain.fundSol(actors.relayer.address, 10_000_000_000n);
  await chain.fundToken(actors.payer.address, 1_000_000_000n);
  await Promise.all([actors.merchant, actors.platform].map((owner) => chain.fundToken(owner, 0n)));
});
afterAll(() => chain.stop());

const paying = (intentId: string) => signPayment(node, actors.terms(intentId), actors);
const outcomeOf = ({ transactionId, prepared }: Paying, nodes = [node]) =>
  findTransactionOutcome(nodes, { transactionId, lifetime: prepared.lifetime });

test('a payment is unknown when processed, landed when confirmed, and finalized 32 slots later', async () => {
  const paid = await paying('pi_1');
  await node.send(paid.wire);
  expect(await outcomeOf(paid)).toEqual({ kind: 'unknown' });
  chain.ledger.advance(1n);
  const outcome = await outcomeOf(paid);
  if (outcome.kind !== 'landed') throw new Error(outcome.kind);
  expect(outcome.commitment).toBe('confirmed');
  expect(await provesTransfer(outcome.landing, paid.prepared.terms)).toBe(true);
  chain.ledger.advance(30n);
  expect(await outcomeOf(paid)).toMatchObject({ commitment: 'confirmed' });
  chain.ledger.advance(1n);
  expect(await outcomeOf(paid)).toMatchObject({ commitment: 'finalized' });
});

test('bytes that never left have expired at the first finalized height past their last, and can’t land any more', async () => {
  const paid = await paying('pi_2');
  const { lastValidBlockHeight } = paid.prepared.lifetime;
  chain.ledger.advance(lastValidBlockHeight - chain.ledger.slotAt('finalized'));
  expect(await node.blockHeight('finalized')).toBe(lastValidBlockHeight);
  expect(await outcomeOf(paid)).toEqual({ kind: 'unknown' });
  chain.ledger.advance(1n);
  expect(await outcomeOf(paid)).toEqual({ kind: 'expired' });
  await node.send(paid.wire);
  chain.ledger.advance(40n);
  expect(await outcomeOf(paid)).toEqual({ kind: 'expired' });
});

test('bytes land up to their last height, and what landed there has not expired', async () => {
  const paid = await paying('pi_3');
  chain.ledger.advance(paid.prepared.lifetime.lastValidBlockHeight - chain.ledger.slotAt('processed'));
  await node.send(paid.wire);
  chain.ledger.advance(33n);
  expect(await outcomeOf(paid)).toMatchObject({ kind: 'landed', commitment: 'finalized' });
});

test('of two nodes one that has lost its memory can’t make a payment expire', async () => {
  const forgetful = await chain.openNode();
  const nodes = [node, openNode(forgetful.rpcUrl)];
  const paid = await paying('pi_4');
  forgetful.faults.unheard.add(paid.transactionId);
  await node.send(paid.wire);
  chain.ledger.advance(200n);
  expect(await outcomeOf(paid, nodes.slice(1))).toEqual({ kind: 'expired' });
  expect(await outcomeOf(paid, nodes)).toEqual({ kind: 'unknown' });
  expect(await outcomeOf(paid, nodes.slice(0, 1))).toMatchObject({ kind: 'landed' });
});

test('a node that lies about amounts is not believed against one that does not', async () => {
  const liar = await chain.openNode();
  const nodes = [node, openNode(liar.rpcUrl)];
  liar.faults.lie = ({ method }, truth) => {
    if (method !== 'getTransaction' || truth === null) return undefined;
    const { meta, ...rest } = truth as { meta: { postTokenBalances: readonly unknown[] } };
    return { ...rest, meta: { ...meta, postTokenBalances: [] } };
  };
  const paid = await paying('pi_5');
  await node.send(paid.wire);
  chain.ledger.advance(40n);
  expect(await outcomeOf(paid, nodes)).toEqual({ kind: 'unknown' });
});

test('a transaction that fails is charged for and recorded', async () => {
  const { stranger, terms, relayer, merchant, platform, payer } = await drawActors();
  chain.fundSol(relayer.address, 1_000_000_000n);
  await chain.fundToken(payer.address, 1_000_000n);
  await Promise.all([merchant, platform, stranger.address].map((owner) => chain.fundToken(owner, 0n)));
  const paid = await signPayment(node, terms('pi_6'), { payer, relayer });
  await chain.fundToken(payer.address, 1n);
  expect(await node.simulate(paid.wire)).toMatchObject({
    ok: false,
    error: { InstructionError: [2n, { Custom: 1n }] },
  });
  await node.send(paid.wire);
  chain.ledger.advance(1n);
  const outcome = await outcomeOf(paid);
  expect(outcome).toMatchObject({ kind: 'failed', landing: { changes: new Map(), costLamports: 10_600n } });
});

test('three hundred payments of as many payers land, each once, under load', async () => {
  const payers = await Promise.all(Array.from({ length: 300 }, drawActors));
  for (const { payer } of payers) await chain.fundToken(payer.address, 1_000_000n);
  const signed: Paying[] = [];
  for (const [index, { payer }] of payers.entries()) {
    const terms = { ...actors.terms(`pi_load_${index}`), payer: payer.address };
    signed.push(await signPayment(node, terms, { payer, relayer: actors.relayer }));
  }
  const startMs = performance.now();
  for (let at = 0; at < signed.length; at += 25) {
    await Promise.all(signed.slice(at, at + 25).flatMap(({ wire }) => [node.send(wire), node.send(wire)]));
  }
  const perSecond = (signed.length * 2_000) / (performance.now() - startMs);
  chain.ledger.advance(1n);
  const outcomes = await Promise.all(signed.map((paid) => outcomeOf(paid)));
  expect(outcomes.filter(({ kind }) => kind !== 'landed')).toEqual([]);
  expect(perSecond).toBeGreaterThan(50);
});
