// What final blocks of a real virtual machine say of refunds.
import { ChainUnavailable, type OpenRefund } from '@svc-pay/core';
import { refundReference } from '@svc-pay/protocol/solana';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MOST_SIGNATURES, openNode, type SolanaNode } from '../rpc/solana-node.ts';
import { listForeign } from '../testing/foreign-lister.ts';
import type { Paying } from '../testing/pay.ts';
import { createRefundWorld, REFUNDED, type RefundWorld } from '../testing/refund-world.ts';
import { findRefundOutcomes } from './find-refund-outcomes.ts';
import { refundTerms, type SolanaRefundTransfer } from './refund-terms.ts';

const DAY_MS = 24 * 3_600_000;
const FINAL = 33n;
const PAST_EXPIRY = 200n;
let world: RefundWorld;
beforeEach(async () => {
  world = await createRefundWorld();
});
afterEach(() => world.chain.stop());

/** The row of a refund that a lane may send. */
function rowOf(refund: SolanaRefundTransfer, { prepared }: Paying, change: Partial<OpenRefund> = {}): OpenRefund {
  const { refundId, nonce, wallet, recipient, amountAtomic, relayer, mint, tokenProgram, decimals } = refund;
  const transfer = { relayer, tokenProgram, decimals, ...prepared.lifetime, reference: refundReference(nonce) };
  return {
    id: refundId,
    kind: 'transaction',
    status: 'queued',
    asset: mint,
    amountAtomic,
    wallet,
    recipient,
    nonce,
    transfer: { ...transfer, sourceAccount: '', destinationAccount: '' },
    reported: null,
    transactionId: null,
    submittedAtMs: Date.now(),
    signedTransactionIds: [],
    wallets: [wallet],
    payment: { transactionId: null, payer: recipient, blockNumber: null },
    ...change,
  } as unknown as OpenRefund;
}

/** The row of a refund that was found on chain: only its payment and its reference are known. */
function lostRow(refund: SolanaRefundTransfer, signed: Paying, change: Partial<OpenRefund> = {}): OpenRefund {
  const { slot } = signed.prepared.lifetime;
  const payment = { transactionId: null, payer: refund.recipient, blockNumber: slot - 1n };
  return rowOf(refund, signed, { transfer: null, amountAtomic: null, payment, ...change });
}

/** Lists nothing, and says that its history begins there. */
async function forgetfulNode(firstSlot: bigint): Promise<SolanaNode> {
  const { faults, rpcUrl } = await world.chain.openNode();
  faults.lie = ({ method }) => {
    if (method === 'getSignaturesForAddress') return [];
    return method === 'getFirstAvailableBlock' ? firstSlot : undefined;
  };
  return openNode(rpcUrl);
}

/** Lists that many failed transactions before all that the chain has. */
async function floodedNode(count: number): Promise<SolanaNode> {
  const { rpcUrl } = await world.chain.openNode();
  const node = openNode(rpcUrl);
  const flood = Array.from({ length: count }, (_, index) => {
    const signature = `B${index}`.replaceAll('0', 'A').padStart(88, '1');
    return { signature, slot: 1_000_000n, err: 'failed' };
  });
  return {
    ...node,
    signatures: async (address, before, until, commitment) => {
      const from = before === undefined ? 0 : flood.findIndex(({ signature }) => signature === before) + 1;
      if (before !== undefined && from === 0) return node.signatures(address, before, until, commitment);
      const page = flood.slice(from, from + MOST_SIGNATURES);
      return page.length > 0 ? page : node.signatures(address, undefined, until, commitment);
    },
  };
}

const aDayLater = () => Date.now() + DAY_MS + 1_000;

async function outcomeOf(row: OpenRefund, nodes: readonly SolanaNode[] = [world.node], nowMs = Date.now()) {
  const [outcome] = await findRefundOutcomes(nodes, [row], nowMs);
  return outcome;
}

const OPEN = { outcome: 'open' };
const EXPIRED = { outcome: 'void', reason: 'expired' };
const NOT_FOUND = { outcome: 'void', reason: 'not_found' };

describe('a refund that was sent', () => {
  test('is proven when it is final, and not before', async () => {
    const refund = world.refund();
    const signed = await world.transfer(refundTerms(refund));
    const { transactionId } = signed;
    const row = rowOf(refund, signed, { signedTransactionIds: [transactionId] });
    expect(await outcomeOf(row)).toEqual(OPEN);
    world.chain.ledger.advance(FINAL);
    const { wallet, recipient } = refund;
    const proven = { outcome: 'transferred', transactionId, logIndex: 0, wallet, recipient, amountAtomic: REFUNDED };
    expect(await outcomeOf(row)).toMatchObject(proven);
    // The same, where the process died before it stored the id.
    world.chain.ledger.advance(PAST_EXPIRY);
    expect(await outcomeOf(rowOf(refund, signed))).toMatchObject(proven);
  });

  test('is over when its blockhash is over at finality and no node has it', async () => {
    const refund = world.refund();
    const signed = await world.sign(refund);
    const sent = rowOf(refund, signed, { signedTransactionIds: [signed.transactionId] });
    const unsent = rowOf(refund, signed);
    world.chain.ledger.advance(151n);
    expect([await outcomeOf(sent), await outcomeOf(unsent)]).toEqual([OPEN, OPEN]);
    world.chain.ledger.advance(32n);
    expect([await outcomeOf(sent), await outcomeOf(unsent)]).toEqual([EXPIRED, EXPIRED]);
  });

  test('is over when the chain charged for it and moved nothing', async () => {
    const refund = world.refund();
    const signed = await world.sign(refund);
    await world.chain.fundToken(refund.wallet, 1n);
    world.chain.ledger.execute(signed.wire);
    const row = rowOf(refund, signed, { signedTransactionIds: [signed.transactionId] });
    expect(await outcomeOf(row)).toEqual(OPEN);
    world.chain.ledger.advance(FINAL);
    expect(await outcomeOf(row)).toEqual(EXPIRED);
  });

  test('is not decided by a node that shows other balances than another one', async () => {
    const refund = world.refund();
    const signed = await world.transfer(refundTerms(refund));
    world.chain.ledger.advance(FINAL);
    const liar = await world.chain.openNode();
    liar.faults.lie = ({ method }, truth) => {
      if (method !== 'getTransaction') return undefined;
      const told = truth as { readonly meta: object };
      return { ...told, meta: { ...told.meta, postTokenBalances: [] } };
    };
    const row = rowOf(refund, signed, { signedTransactionIds: [signed.transactionId] });
    expect(await outcomeOf(row, [world.node, openNode(liar.rpcUrl)])).toEqual(OPEN);
    expect(await outcomeOf(row, [openNode(liar.rpcUrl)])).toEqual(OPEN);
  });
});

describe('the reference of a refund', () => {
  test('in a transaction of a stranger proves nothing and holds nothing up', async () => {
    const refund = world.refund();
    const signed = await world.sign(refund);
    const { stranger, payer } = world.actors;
    await world.chain.fundToken(stranger.address, REFUNDED);
    const forged = { ...refundTerms(refund), payer: stranger.address };
    await world.transfer(forged, stranger);
    expect(await world.chain.balanceOf(payer.address)).toBe(REFUNDED);
    world.chain.ledger.advance(PAST_EXPIRY);
    expect(await outcomeOf(rowOf(refund, signed))).toEqual(EXPIRED);
    const lost = lostRow(refund, signed);
    expect(await outcomeOf(lost)).toEqual(OPEN);
    expect(await outcomeOf(lost, [world.node], aDayLater())).toEqual(NOT_FOUND);
  });

  test('that nodes forgot is not taken for one that never was', async () => {
    const refund = world.refund();
    const signed = await world.transfer(refundTerms(refund));
    world.chain.ledger.advance(FINAL);
    const { slot } = signed.prepared.lifetime;
    const pruned = await forgetfulNode(slot + 1n);
    const lost = lostRow(refund, signed);
    expect(await outcomeOf(lost, [pruned], aDayLater())).toEqual(OPEN);
    // One node answers as if it had the whole history, and the other one has not.
    const liar = await forgetfulNode(0n);
    expect(await outcomeOf(lost, [liar, pruned], aDayLater())).toEqual(OPEN);
    expect(await outcomeOf(lost, [liar, openNode('http://127.0.0.1:9')], aDayLater())).toEqual(OPEN);
    expect(await outcomeOf(lost, [liar, world.node], aDayLater())).toMatchObject({ outcome: 'transferred' });
  });

  test('of a payment whose slot nobody knows is never taken for one that never was', async () => {
    const refund = world.refund();
    const signed = await world.sign(refund);
    const { payer } = world.actors;
    const payment = (blockNumber: bigint | null) => ({
      payment: { transactionId: '5'.repeat(88), payer: payer.address, blockNumber },
    });
    const unknown = lostRow(refund, signed, payment(null));
    expect(await outcomeOf(unknown, [world.node], aDayLater())).toEqual(OPEN);
    const known = lostRow(refund, signed, payment(signed.prepared.lifetime.slot));
    expect(await outcomeOf(known, [world.node], aDayLater())).toEqual(NOT_FOUND);
  });

  test('finds a refund that the database lost, with its amount', async () => {
    const refund = world.refund({ amountAtomic: 7n });
    const signed = await world.transfer(refundTerms(refund));
    const lost = lostRow(refund, signed);
    expect(await outcomeOf(lost)).toEqual(OPEN);
    world.chain.ledger.advance(FINAL);
    const { transactionId } = signed;
    const found = { outcome: 'transferred', transactionId, recipient: refund.recipient, amountAtomic: 7n };
    expect(await outcomeOf(lost)).toMatchObject(found);
  });

  test('under which the wallet paid somebody else finds no refund', async () => {
    const { stranger, payer } = world.actors;
    await world.chain.fundToken(stranger.address, 0n);
    const refund = world.refund({ recipient: stranger.address, amountAtomic: 7n });
    const signed = await world.transfer(refundTerms(refund));
    world.chain.ledger.advance(FINAL);
    const lost = lostRow(refund, signed, { recipient: payer.address });
    expect(await outcomeOf(lost)).toEqual({ outcome: 'void', reason: 'canceled' });
  });

  test('is named by no transaction only because one node lists it', async () => {
    const { stranger } = world.actors;
    await world.chain.fundToken(stranger.address, 0n);
    const refund = world.refund();
    const signed = await world.sign(refund);
    const liar = await world.chain.openNode();
    const nodes = [openNode(liar.rpcUrl), world.node, openNode((await world.chain.openNode()).rpcUrl)];
    for (const recipient of [refund.recipient, stranger.address]) {
      const foreign = await world.transfer(refundTerms(world.refund({ recipient, amountAtomic: 7n })));
      listForeign(liar.faults, foreign);
      world.chain.ledger.advance(FINAL);
      expect(await outcomeOf(lostRow(refund, signed), nodes)).toEqual(OPEN);
    }
    world.chain.ledger.advance(PAST_EXPIRY);
    expect(await outcomeOf(lostRow(refund, signed), nodes, aDayLater())).toEqual(NOT_FOUND);
  });

  test('in a transfer that is not later than the payment finds no refund', async () => {
    const refund = world.refund();
    const signed = await world.transfer(refundTerms(refund));
    world.chain.ledger.advance(FINAL);
    const { slot } = signed.prepared.lifetime;
    const paidAt = (blockNumber: bigint) =>
      lostRow(refund, signed, { payment: { transactionId: null, payer: refund.recipient, blockNumber } });
    expect(await outcomeOf(paidAt(slot - 1n))).toMatchObject({ outcome: 'transferred' });
    expect(await outcomeOf(paidAt(slot))).toEqual(OPEN);
  });

  test('that a flood of failed transactions names still finds its refund', async () => {
    const refund = world.refund();
    const signed = await world.transfer(refundTerms(refund));
    world.chain.ledger.advance(PAST_EXPIRY);
    const flooded = [await floodedNode(2_000)];
    const found = { outcome: 'transferred', transactionId: signed.transactionId, amountAtomic: REFUNDED };
    expect(await outcomeOf(lostRow(refund, signed), flooded, aDayLater())).toMatchObject(found);
    expect(await outcomeOf(rowOf(refund, signed), flooded)).toMatchObject(found);
  });

  test('that more failed transactions name than are listed is not read, and nothing is concluded', async () => {
    const refund = world.refund();
    const signed = await world.transfer(refundTerms(refund));
    world.chain.ledger.advance(PAST_EXPIRY);
    const nodes = [await floodedNode(10_000), world.node];
    for (const row of [lostRow(refund, signed), rowOf(refund, signed)])
      await expect(outcomeOf(row, nodes, aDayLater())).rejects.toBeInstanceOf(ChainUnavailable);
  });

  test('that too many transactions name is not read, and nothing is concluded', async () => {
    const refund = world.refund();
    const signed = await world.sign(refund);
    const { stranger } = world.actors;
    await world.chain.fundToken(stranger.address, REFUNDED);
    for (let index = 0; index < 51; index += 1) {
      const forged = { ...refundTerms({ ...refund, amountAtomic: 1n }), payer: stranger.address, memo: `${index}` };
      await world.transfer(forged, stranger);
    }
    world.chain.ledger.advance(PAST_EXPIRY);
    await expect(outcomeOf(rowOf(refund, signed))).rejects.toBeInstanceOf(ChainUnavailable);
  });
});

describe('a reported transfer', () => {
  /** The payment, and then a transfer of the merchant's wallet in another slot. */
  async function report(change: Partial<SolanaRefundTransfer> = {}, from = world.wallet) {
    const paid = await world.transfer({ ...refundTerms(world.refund({ amountAtomic: 1n })), memo: 'the payment' });
    world.chain.ledger.advance(1n);
    const refund = world.refund(change);
    const { reference: _, ...terms } = refundTerms(refund);
    const made = await world.transfer({ ...terms, payer: from.address, memo: 'sorry' }, from);
    const row = (more: Partial<OpenRefund> = {}) =>
      rowOf(refund, made, {
        kind: 'reported',
        nonce: null,
        transfer: null,
        amountAtomic: null,
        recipient: world.actors.payer.address,
        wallets: [world.actors.merchant, world.wallet.address],
        reported: { transactionId: made.transactionId, logIndex: null },
        payment: { transactionId: paid.transactionId, payer: world.actors.payer.address, blockNumber: null },
        ...more,
      });
    return { made, paid, row };
  }

  test('counts with the amount that reached the payer, when it is final', async () => {
    const { made, row } = await report({ amountAtomic: 123n });
    expect(await outcomeOf(row())).toEqual(OPEN);
    world.chain.ledger.advance(FINAL);
    expect(await outcomeOf(row())).toMatchObject({
      outcome: 'transferred',
      transactionId: made.transactionId,
      logIndex: 0,
      wallet: world.wallet.address,
      recipient: world.actors.payer.address,
      amountAtomic: 123n,
    });
  });

  test('counts for nobody but the payer, from no wallet but the merchant’s, and not before the payment', async () => {
    const none = { outcome: 'void', reason: 'no_transfer' };
    const { stranger } = world.actors;
    await world.chain.fundToken(stranger.address, REFUNDED);
    const other = await report({ recipient: stranger.address });
    const gift = await report({}, stranger);
    const good = await report();
    world.chain.ledger.advance(FINAL);
    expect(await outcomeOf(other.row())).toEqual(none);
    expect(await outcomeOf(gift.row())).toEqual(none);
    expect(await outcomeOf(good.row())).toMatchObject({ outcome: 'transferred' });
    expect(await outcomeOf(good.row({ reported: { transactionId: good.made.transactionId, logIndex: 1 } }))).toEqual(
      none,
    );
    const payer = world.actors.payer.address;
    const later = { transactionId: good.made.transactionId, payer, blockNumber: null };
    const reported = { transactionId: good.paid.transactionId, logIndex: null };
    expect(await outcomeOf(good.row({ reported, payment: later }))).toEqual(none);
    expect(await outcomeOf(good.row({ payment: later }))).toEqual(none);
  });

  test('that is a refund of ours does not count beside that refund', async () => {
    const { row } = await report();
    const { transactionId } = await world.transfer(refundTerms(world.refund()));
    world.chain.ledger.advance(FINAL);
    const outcome = await outcomeOf(row({ reported: { transactionId, logIndex: null } }));
    expect(outcome).toEqual({ outcome: 'void', reason: 'no_transfer' });
  });

  test('whose payment no node has any more is compared with the stored slot, or ends after a day', async () => {
    const { paid, row } = await report();
    world.chain.ledger.advance(FINAL);
    const pruned = (blockNumber: bigint | null) =>
      row({ payment: { transactionId: '5'.repeat(88), payer: world.actors.payer.address, blockNumber } });
    const late = Date.now() + DAY_MS + 1_000;
    expect(await outcomeOf(pruned(null))).toEqual(OPEN);
    expect(await outcomeOf(pruned(null), [world.node], late)).toEqual({ outcome: 'void', reason: 'not_found' });
    const { slot } = paid.prepared.lifetime;
    expect(await outcomeOf(pruned(slot), [world.node], late)).toMatchObject({ outcome: 'transferred' });
    expect(await outcomeOf(pruned(slot + 1_000n))).toEqual({ outcome: 'void', reason: 'no_transfer' });
  });

  test('that failed, or that no node ever had, ends; the latter after an hour', async () => {
    const { row } = await report();
    const refund = world.refund();
    const signed = await world.sign(refund);
    await world.chain.fundToken(world.wallet.address, 1n);
    world.chain.ledger.execute(signed.wire);
    world.chain.ledger.advance(FINAL);
    const failed = row({ reported: { transactionId: signed.transactionId, logIndex: null } });
    expect(await outcomeOf(failed)).toEqual({ outcome: 'void', reason: 'reverted' });
    const unknown = row({ reported: { transactionId: '5'.repeat(88), logIndex: null } });
    expect(await outcomeOf(unknown)).toEqual(OPEN);
    const notFound = { outcome: 'void', reason: 'not_found' };
    expect(await outcomeOf(unknown, [world.node], Date.now() + 3_601_000)).toEqual(notFound);
    expect(await outcomeOf(row({ reported: { transactionId: 'no id', logIndex: null } }))).toEqual(notFound);
  });
});
