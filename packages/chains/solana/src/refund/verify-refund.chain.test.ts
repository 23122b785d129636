// A refund from the prepared transaction to the chain, on a real virtual machine.
import { address } from '@solana/kit';
import { AccountState, getTokenDecoder, getTokenEncoder } from '@solana-program/token';
import { refundMemo, refundReference } from '@svc-pay/protocol/solana';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { coSign } from '../signer/co-sign.ts';
import { signAsWallet } from '../testing/actors.ts';
import { type Alteration, alter } from '../testing/alter.ts';
import { createRefundWorld, REFUNDED, type RefundWorld } from '../testing/refund-world.ts';
import { LIGHTHOUSE_PROGRAM } from '../transfer/programs.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import type { PreparedTransfer } from '../transfer/transfer-terms.ts';
import { memosIn } from '../verify/read-memo.ts';
import { readTransaction } from '../verify/read-transaction.ts';
import { verifySigned } from '../verify/verify-signed.ts';
import { prepareRefund } from './prepare-refund.ts';
import { refundTerms, type SolanaRefundTransfer } from './refund-terms.ts';
import { verifyRefund } from './verify-refund.ts';

let world: RefundWorld;
beforeEach(async () => {
  world = await createRefundWorld();
});
afterEach(() => world.chain.stop());

async function prepared(refund: SolanaRefundTransfer): Promise<PreparedTransfer> {
  const made = await prepareRefund([world.node], refund);
  if (!made.ok) throw new Error(made.code);
  return made.prepared;
}

const submit = (refund: SolanaRefundTransfer, { lifetime }: PreparedTransfer, transaction: string) =>
  verifyRefund([world.node], { transfer: refund, lifetime, transaction });

async function change(owner: string, state: AccountState) {
  const at = await tokenAccountOf(owner, DEVNET_USDC, world.refund().tokenProgram);
  const account = world.chain.ledger.account(at);
  if (account === null) throw new Error('no account');
  const data = getTokenEncoder().encode({ ...getTokenDecoder().decode(account.data), state });
  world.chain.ledger.setAccount(at, { ...account, data: Uint8Array.from(data) });
}

test('the merchant’s wallet signs, the relayer pays, the payer gets the money, and the chain knows the refund by name', async () => {
  const refund = world.refund();
  const { wire, lifetime } = await prepared(refund);
  const transaction = await signAsWallet(wire, world.wallet);
  expect(await verifyRefund([world.node], { transfer: refund, lifetime, transaction })).toEqual({
    ok: true,
    signature: `0x${Buffer.from(transaction, 'base64').toString('hex')}`,
  });
  const read = readTransaction(transaction);
  if (!read.ok) throw new Error(read.flaw);
  expect(memosIn(read.message).map((memo) => Buffer.from(memo).toString())).toEqual([refundMemo(refund.refundId)]);
  expect(read.message.staticAccounts).toContain(refundReference(refund.nonce));
  const verified = await verifySigned(transaction, {
    terms: refundTerms(refund),
    blockhash: lifetime.blockhash,
    messageHash: null,
  });
  if (!verified.ok) throw new Error(verified.flaw);
  const { wire: signed, transactionId } = await coSign(verified, world.actors.relayer);
  expect(await world.node.send(signed)).toEqual({ outcome: 'known' });
  expect(await world.chain.balanceOf(world.actors.payer.address)).toBe(REFUNDED);
  world.chain.ledger.advance(32n);
  const listed = await world.node.signatures(refundReference(refund.nonce), undefined);
  expect(listed.map(({ signature }) => signature)).toEqual([transactionId]);
});

describe('not prepared is a refund', () => {
  const code = async (refund: SolanaRefundTransfer) => {
    const made = await prepareRefund([world.node], refund);
    return made.ok ? 'prepared' : made.code;
  };

  test('of more than the wallet has, or from a wallet without a token account', async () => {
    expect(await code(world.refund({ amountAtomic: 1_000_001n }))).toBe('refund_insufficient_funds');
    const other = await createRefundWorld();
    other.chain.stop();
    expect(await code(world.refund({ wallet: other.wallet.address }))).toBe('refund_insufficient_funds');
  });

  test('to a payer without a token account, or with a frozen one', async () => {
    expect(await code(world.refund({ recipient: world.actors.stranger.address }))).toBe('refund_recipient_needed');
    expect(await code(world.refund({ recipient: 'nobody' }))).toBe('refund_recipient_needed');
    await change(world.actors.payer.address, AccountState.Frozen);
    expect(await code(world.refund())).toBe('refund_recipient_needed');
  });

  test('from a wallet that is frozen, that is the recipient, or that no key signs for', async () => {
    const program = await tokenAccountOf(world.wallet.address, DEVNET_USDC, world.refund().tokenProgram);
    expect(await code(world.refund({ wallet: program }))).toBe('refund_not_available');
    expect(await code(world.refund({ recipient: world.wallet.address }))).toBe('refund_recipient_needed');
    await change(world.wallet.address, AccountState.Frozen);
    expect(await code(world.refund())).toBe('refund_insufficient_funds');
  });
});

describe('not taken is a transaction', () => {
  const altered = async (alteration: (refund: SolanaRefundTransfer) => Alteration) => {
    const refund = world.refund();
    const made = await prepared(refund);
    return submit(refund, made, await signAsWallet(await alter(made, alteration(refund)), world.wallet));
  };

  test.each<[string, string, (refund: SolanaRefundTransfer) => Alteration]>([
    [
      'to another recipient',
      'destination',
      (refund) => ({ terms: refundTerms({ ...refund, recipient: refund.relayer }) }),
    ],
    ['of another amount', 'amount', (refund) => ({ terms: refundTerms({ ...refund, amountAtomic: 1n }) })],
    ['for another refund', 'memo', (refund) => ({ terms: refundTerms({ ...refund, refundId: 're_other' }) })],
    [
      'with another reference',
      'instructions',
      (refund) => ({ terms: refundTerms({ ...refund, nonce: `0x${'7'.repeat(64)}` }) }),
    ],
    [
      'with no reference',
      'instructions',
      (refund) => {
        const { reference: _, ...terms } = refundTerms(refund);
        return { terms };
      },
    ],
    [
      'that a wallet added a guard to',
      'message',
      () => ({ after: [{ programAddress: address(LIGHTHOUSE_PROGRAM), data: Uint8Array.of(1) }] }),
    ],
    ['with another blockhash', 'lifetime', () => ({ blockhash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' })],
  ])('%s', async (_, detail, alteration) => {
    expect(await altered(alteration)).toEqual({ ok: false, code: 'refund_signature_invalid', detail });
  });

  test('that somebody else signed, or nobody', async () => {
    const refund = world.refund();
    const made = await prepared(refund);
    const unsigned = Buffer.from(made.wire).toString('base64');
    const invalid = { ok: false, code: 'refund_signature_invalid', detail: 'signature' };
    expect(await submit(refund, made, unsigned)).toEqual(invalid);
    const bytes = Buffer.from(await signAsWallet(made.wire, world.wallet), 'base64');
    // The wallet's signature is the second one.
    bytes.writeUInt8(bytes.readUInt8(70) ^ 1, 70);
    expect(await submit(refund, made, bytes.toString('base64'))).toEqual(invalid);
    expect(await submit(refund, made, 'no transaction')).toMatchObject({ code: 'refund_signature_invalid' });
  });

  test('whose blockhash has expired, or whose money has left the wallet', async () => {
    const refund = world.refund();
    const made = await prepared(refund);
    const transaction = await signAsWallet(made.wire, world.wallet);
    await world.chain.fundToken(world.wallet.address, REFUNDED - 1n);
    expect(await submit(refund, made, transaction)).toEqual({ ok: false, code: 'refund_insufficient_funds' });
    await world.chain.fundToken(world.wallet.address, REFUNDED);
    expect(await submit(refund, made, transaction)).toMatchObject({ ok: true });
    world.chain.ledger.advance(152n);
    expect(await submit(refund, made, transaction)).toEqual({ ok: false, code: 'refund_canceled' });
  });
});
