// Refunds as the API asks a chain about them, on a real virtual machine.
import { ChainUnavailable, type RefundDraft, refundNonces, type StoredRefund, TOKENS } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { readRefundTerms } from '@svc-pay/protocol/refund-nonce';
import { refundReference } from '@svc-pay/protocol/solana';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signAsWallet } from '../testing/actors.ts';
import { listForeign } from '../testing/foreign-lister.ts';
import { createRefundWorld, REFUNDED, type RefundWorld } from '../testing/refund-world.ts';
import { refundTerms } from './refund-terms.ts';
import { createSolanaRefunds } from './solana-refunds.ts';

const found = TOKENS.find(({ shortcode }) => shortcode === 'soldevnet_usdc');
if (found === undefined) throw new Error('no such token');
const token = found;
const INSTALLATION = '7f6d1a52-93c5-4c0e-9c3a-0d5c3f1be2aa';
const NOW = Date.now();
let world: RefundWorld;
let genesisHash = '';
let paymentId = newId('payment', NOW);
beforeEach(async () => {
  world = await createRefundWorld();
  genesisHash = await world.node.genesisHash();
  paymentId = newId('payment', NOW);
});
afterEach(() => world.chain.stop());

function family(
  relayers: readonly string[] = [world.actors.relayer.address],
  rpcUrls: readonly [string, ...string[]] = [world.chain.rpcUrl],
) {
  return createSolanaRefunds({
    stores: {
      chooseRelayer: async () => relayers[0],
      isSettlingRelayer: async (_caller, _network, relayer) => relayers.includes(relayer),
    },
    clusters: new Map([[token.network, { rpcUrls, feeAccount: '', genesisHash }]]),
    timeoutMs: 5_000,
  });
}

const owner = () => ({
  mode: 'test' as const,
  network: token.network,
  asset: token.address,
  wallet: world.wallet.address as string,
  paymentId,
});

function draftOf(change: Partial<RefundDraft> = {}): RefundDraft {
  const [next] = refundNonces(INSTALLATION, owner(), 1, 1);
  const { asset: _, ...own } = owner();
  const terms = readRefundTerms({ ...own, installation: INSTALLATION, token: token.address, sequence: 1 });
  if (next === undefined || terms === undefined) throw new Error('no terms');
  return {
    id: newId('refund', NOW),
    caller: { accountId: newId('account', NOW), mode: 'test' },
    token,
    recipient: world.actors.payer.address,
    amountAtomic: REFUNDED,
    terms,
    nonce: next.nonce,
    ...change,
  };
}

async function drafted(draft: RefundDraft) {
  const made = await family().draft(draft, NOW);
  if (!made.ok || made.sign.kind !== 'solana_transaction') throw new Error('not drafted');
  const { id, recipient, amountAtomic, nonce, terms } = draft;
  const { transfer } = made;
  const row = {
    id,
    mode: 'test',
    asset: token.address,
    wallet: terms.wallet,
    recipient,
    amountAtomic,
    nonce,
    sequence: terms.sequence,
    transfer,
  };
  const wire = Uint8Array.from(Buffer.from(made.sign.transaction, 'base64'));
  return { refund: row as unknown as StoredRefund, wire, made };
}

test('a draft is signed by the wallet and taken; it lives shorter than its blockhash', async () => {
  const { refund, wire, made } = await drafted(draftOf());
  expect(made).toMatchObject({ expiresAtMs: NOW + 55_000, transfer: { relayer: world.actors.relayer.address } });
  expect(made.transfer?.reference).toBe(refundReference(refund.nonce ?? ''));
  const transaction = await signAsWallet(wire, world.wallet);
  const signature = family().read({ transaction });
  expect(signature).toBe(`0x${Buffer.from(transaction, 'base64').toString('hex')}`);
  const verified = await family().verify(refund, token, { transaction });
  expect(verified).toEqual({ ok: true, submitted: { signature, byContract: false } });
});

test('what another wallet signed, and what names a relayer that is retired, is not taken', async () => {
  const { refund, wire } = await drafted(draftOf());
  const transaction = await signAsWallet(wire, world.wallet);
  expect(await family([]).verify(refund, token, { transaction })).toEqual({ ok: false, code: 'refund_canceled' });
  const unsigned = Buffer.from(wire).toString('base64');
  const invalid = { ok: false, code: 'refund_signature_invalid' };
  expect(await family().verify(refund, token, { transaction: unsigned })).toEqual(invalid);
  expect(await family().verify({ ...refund, amountAtomic: 1n }, token, { transaction })).toEqual(invalid);
  expect(family().read({ signature: '0x1234' })).toBeUndefined();
});

test('of two transactions of one nonce the second is not taken once the first is on its way', async () => {
  const { refund, wire } = await drafted(draftOf({ amountAtomic: REFUNDED / 2n }));
  const transaction = await signAsWallet(wire, world.wallet);
  const verify = () => family().verify(refund, token, { transaction });
  expect(await verify()).toMatchObject({ ok: true });
  await world.transfer(refundTerms(world.refund({ nonce: refund.nonce ?? '' })));
  world.chain.ledger.advance(1n);
  await expect(verify()).rejects.toBeInstanceOf(ChainUnavailable);
  world.chain.ledger.advance(33n);
  expect(await verify()).toEqual({ ok: false, code: 'refund_found_on_chain' });
});

test('without a relayer that can pay nothing is drafted', async () => {
  await expect(family([]).draft(draftOf(), NOW)).rejects.toBeInstanceOf(ChainUnavailable);
});

test('a payer can receive with a token account of its own, and not without', async () => {
  const { payer, stranger } = world.actors;
  expect(await family().canReceive(token, payer.address, false)).toBe(true);
  expect(await family().canReceive(token, stranger.address, false)).toBe(false);
  expect(await family().canReceive(token, 'nobody', false)).toBe(false);
});

test('the chain tells which refunds of a payment were made, whatever the database lost', async () => {
  const { wallet } = owner();
  const nonces = refundNonces(INSTALLATION, owner(), 1, 8).map((one) => ({ ...one, wallet }));
  expect(await family().findUsed(token, nonces)).toBeUndefined();
  const third = nonces[2];
  if (third === undefined) throw new Error('no third refund');
  const { stranger } = world.actors;
  await world.chain.fundToken(stranger.address, REFUNDED);
  const refund = world.refund({ nonce: third.nonce });
  await world.transfer({ ...refundTerms(refund), payer: stranger.address }, stranger);
  world.chain.ledger.advance(33n);
  expect(await family().findUsed(token, nonces)).toBeUndefined();
  await world.transfer(refundTerms(refund));
  world.chain.ledger.advance(1n);
  await expect(family().findUsed(token, nonces)).rejects.toBeInstanceOf(ChainUnavailable);
  world.chain.ledger.advance(33n);
  expect(await family().findUsed(token, nonces)).toEqual(third);
});

test('a node that lists a foreign transfer of the wallet makes no refund of it', async () => {
  const liar = await world.chain.openNode();
  const rpcUrls = [liar.rpcUrl, world.chain.rpcUrl, (await world.chain.openNode()).rpcUrl] as const;
  const asked = () => family(undefined, rpcUrls);
  const foreign = await world.transfer(refundTerms(world.refund()));
  listForeign(liar.faults, foreign);
  world.chain.ledger.advance(33n);
  const { wallet } = owner();
  const nonces = refundNonces(INSTALLATION, owner(), 1, 2).map((one) => ({ ...one, wallet }));
  expect(await asked().findUsed(token, nonces)).toBeUndefined();
  const { refund, wire } = await drafted(draftOf());
  const transaction = await signAsWallet(wire, world.wallet);
  expect(await asked().verify(refund, token, { transaction })).toMatchObject({ ok: true });
});
