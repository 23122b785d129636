import { AccountRole, type Address, address, createNoopSigner, type Instruction } from '@solana/kit';
import { getAdvanceNonceAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import {
  getApproveInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { type Actors, drawActors, signAsWallet } from '../testing/actors.ts';
import { type Alteration, alter } from '../testing/alter.ts';
import { agreedOn } from '../testing/pay.ts';
import { budgetFor, budgetInstructions } from '../transfer/compute-budget.ts';
import { prepareTransfer } from '../transfer/prepare-transfer.ts';
import { COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE_PROGRAM, MEMO_PROGRAM, NEWER_MEMO_PROGRAM } from '../transfer/programs.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import type { PreparedTransfer } from '../transfer/transfer-terms.ts';
import { submittedIn, verifySigned } from './verify-signed.ts';

const blockhash = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const lifetime = { blockhash, lastValidBlockHeight: 1_000n, slot: 900n };

let actors: Actors;
let prepared: PreparedTransfer;
let relayer: Address;
let payer: Address;
let stranger: Address;
let source: Address;

beforeAll(async () => {
  actors = await drawActors();
  [relayer, payer, stranger] = [address(actors.relayer.address), actors.payer.address, actors.stranger.address];
  source = address(await tokenAccountOf(payer, DEVNET_USDC, TOKEN_PROGRAM_ADDRESS));
  const made = await prepareTransfer(actors.terms('pi_1'), lifetime);
  if (!made.ok) throw new Error(made.code);
  prepared = made.prepared;
});

const verify = async (alteration: Alteration) =>
  verifySigned(await signAsWallet(await alter(prepared, alteration), actors.payer), agreedOn(prepared));
const guard = (...named: readonly Address[]): Instruction => ({
  programAddress: LIGHTHOUSE_PROGRAM,
  accounts: named.map((account) => ({ address: account, role: AccountRole.READONLY })),
  data: Uint8Array.of(1, 2, 3),
});
const legs = (change: (amount: bigint, owner: string) => { readonly amountAtomic: bigint; readonly owner: string }) =>
  prepared.terms.legs.map((leg, index) => (index === 0 ? change(leg.amountAtomic, leg.owner) : leg));

describe('accepted', () => {
  test('what was prepared, signed by the payer', async () => {
    const verified = await verifySigned(await signAsWallet(prepared.wire, actors.payer), agreedOn(prepared));
    expect(verified).toMatchObject({ ok: true, untouched: true, blockhash });
  });

  test('a wallet that adds Lighthouse guards about its owner, up to four', async () => {
    const guards = [guard(source), guard(source, payer), guard(), guard(source)];
    expect(await verify({ after: guards })).toMatchObject({ ok: true, untouched: false });
    expect(await verify({ before: guards.slice(0, 1), after: guards.slice(1) })).toMatchObject({ ok: true });
  });

  test('a wallet that asks for another compute budget within its limits', async () => {
    expect(await verify({ budget: { units: 120_000, microLamportsPerUnit: 20_000n } })).toMatchObject({ ok: true });
    expect(await verify({ budget: { units: 20_000, microLamportsPerUnit: 1n } })).toMatchObject({ ok: true });
  });

  test('the memo that the client chose, or none, where that is agreed, and no other', async () => {
    const verifyMemo = async (agreed: string | null, memo: string | null) =>
      verifySigned(await signAsWallet(await alter(prepared, { terms: { ...prepared.terms, memo } }), actors.payer), {
        ...agreedOn(prepared),
        terms: { ...prepared.terms, memo: agreed },
      });
    expect(await verifyMemo('order 7', 'order 7')).toMatchObject({ ok: true });
    expect(await verifyMemo(null, null)).toMatchObject({ ok: true });
    expect(await verifyMemo('order 7', 'order 8')).toMatchObject({ ok: false, flaw: 'memo' });
    expect(await verifyMemo('order 7', null)).toMatchObject({ ok: false, flaw: 'instructions' });
    expect(await verifyMemo(null, 'order 7')).toMatchObject({ ok: false, flaw: 'instructions' });
  });

  test('the newer memo program in place of the old one', async () => {
    const newer = (instructions: readonly Instruction[]) =>
      instructions.map((instruction) =>
        instruction.programAddress === MEMO_PROGRAM
          ? { ...instruction, programAddress: NEWER_MEMO_PROGRAM }
          : instruction,
      );
    expect(await verify({ change: newer })).toMatchObject({ ok: true, untouched: false });
  });

  test('any blockhash where the client was free to choose, and it is told', async () => {
    const other = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
    const signed = await signAsWallet(await alter(prepared, { blockhash: other }), actors.payer);
    const agreed = { terms: prepared.terms, blockhash: null, messageHash: null };
    expect(await verifySigned(signed, agreed)).toMatchObject({ ok: true, blockhash: other });
  });
});

describe('refused', () => {
  const cases: readonly (readonly [string, () => Promise<unknown>, string, string])[] = [
    [
      'a transfer of the relayer’s SOL',
      () =>
        verify({
          after: [
            getTransferSolInstruction({
              source: createNoopSigner(relayer),
              destination: stranger,
              amount: 10_000_000n,
            }),
          ],
        }),
      'instructions',
      'transaction_altered',
    ],
    [
      'a lower amount',
      () => verify({ terms: { ...prepared.terms, legs: legs((_, owner) => ({ amountAtomic: 1n, owner })) } }),
      'amount',
      'amount_mismatch',
    ],
    [
      'another destination',
      () => verify({ terms: { ...prepared.terms, legs: legs((amountAtomic) => ({ amountAtomic, owner: stranger })) } }),
      'destination',
      'recipient_mismatch',
    ],
    ['another mint', () => verify({ terms: { ...prepared.terms, mint: stranger } }), 'mint', 'asset_mismatch'],
    [
      'a leg left out',
      () => verify({ terms: { ...prepared.terms, legs: prepared.terms.legs.slice(0, 1) } }),
      'instructions',
      'transaction_altered',
    ],
    [
      'legs in another order',
      () => verify({ terms: { ...prepared.terms, legs: prepared.terms.legs.toReversed() } }),
      'destination',
      'recipient_mismatch',
    ],
    [
      'the memo of another intent',
      () => verify({ terms: { ...prepared.terms, intentId: 'pi_2' } }),
      'memo',
      'transaction_altered',
    ],
    [
      'a memo twice',
      () => verify({ change: (instructions) => [...instructions, ...instructions.slice(-1)] }),
      'instructions',
      'transaction_altered',
    ],
    [
      'a memo that somebody is named to sign',
      () =>
        verify({
          change: (instructions) =>
            instructions.map((instruction) =>
              instruction.programAddress === MEMO_PROGRAM
                ? { ...instruction, accounts: [{ address: payer, role: AccountRole.READONLY_SIGNER }] }
                : instruction,
            ),
        }),
      'memo',
      'transaction_altered',
    ],
    [
      'a priority fee that drains the relayer',
      () => verify({ budget: { units: 200_000, microLamportsPerUnit: 5_000_000_000n } }),
      'compute_budget',
      'transaction_altered',
    ],
    [
      'more compute units than any payment needs',
      () => verify({ budget: { units: 1_400_000, microLamportsPerUnit: 1n } }),
      'compute_budget',
      'transaction_altered',
    ],
    [
      'two prices for compute',
      () => verify({ before: budgetInstructions(budgetFor(2)).slice(1) }),
      'compute_budget',
      'transaction_altered',
    ],
    ['no compute budget', () => verify({ budget: [] }), 'compute_budget', 'transaction_altered'],
    [
      'a compute budget instruction of another kind',
      () => verify({ before: [{ programAddress: COMPUTE_BUDGET_PROGRAM, data: Uint8Array.of(1, 0, 0, 4, 0) }] }),
      'compute_budget',
      'transaction_altered',
    ],
    [
      'a token account created at the relayer’s expense',
      async () =>
        verify({
          before: [
            getCreateAssociatedTokenIdempotentInstruction({
              payer: createNoopSigner(relayer),
              ata: address(await tokenAccountOf(stranger, DEVNET_USDC, TOKEN_PROGRAM_ADDRESS)),
              owner: stranger,
              mint: DEVNET_USDC,
            }),
          ],
        }),
      'instructions',
      'transaction_altered',
    ],
    [
      'a durable nonce, which would never expire',
      () =>
        verify({
          before: [
            getAdvanceNonceAccountInstruction({ nonceAccount: stranger, nonceAuthority: createNoopSigner(payer) }),
          ],
        }),
      'instructions',
      'transaction_altered',
    ],
    ['another blockhash', () => verify({ blockhash: stranger }), 'lifetime', 'transaction_altered'],
    [
      'an approval of the payer’s account',
      () =>
        verify({
          after: [getApproveInstruction({ source, delegate: stranger, owner: createNoopSigner(payer), amount: 1n })],
        }),
      'instructions',
      'transaction_altered',
    ],
    [
      'one signer more',
      () => verify({ after: [{ ...guard(), accounts: [{ address: stranger, role: AccountRole.READONLY_SIGNER }] }] }),
      'extra_signer',
      'transaction_altered',
    ],
    [
      'another payer',
      async () => {
        const wire = await alter(prepared, { terms: { ...prepared.terms, payer: stranger } });
        return verifySigned(await signAsWallet(wire, actors.stranger), agreedOn(prepared));
      },
      'payer',
      'sender_mismatch',
    ],
    [
      'a wallet that pays itself',
      async () => {
        const terms = { ...prepared.terms, legs: [{ owner: payer, amountAtomic: 1_000n }] };
        const signed = await signAsWallet(await alter(prepared, { terms }), actors.payer);
        return verifySigned(signed, { ...agreedOn(prepared), terms });
      },
      'payer',
      'sender_mismatch',
    ],
    ['another fee payer', () => verify({ feePayer: stranger }), 'fee_payer', 'transaction_altered'],
    [
      'the old transaction format, with the payer in the relayer’s place',
      () => verify({ version: 'legacy', feePayer: payer }),
      'version',
      'invalid_payment_header',
    ],
    ['a guard that names the relayer', () => verify({ after: [guard(relayer)] }), 'guards', 'transaction_altered'],
    [
      'a fifth guard',
      () => verify({ after: Array.from({ length: 5 }, () => guard(source)) }),
      'guards',
      'transaction_altered',
    ],
    [
      'an account named for nothing',
      async () => {
        const wire = await alter(prepared, { after: [guard(stranger)] });
        // Removes the last instruction's only account from the instruction; the message's account list stays unchanged.
        const at = wire.length - 7;
        expect([...wire.subarray(at)].slice(0, 2)).toEqual([1, expect.any(Number)]);
        const without = Uint8Array.from([...wire.subarray(0, at), 0, ...wire.subarray(at + 2)]);
        return verifySigned(await signAsWallet(without, actors.payer), agreedOn(prepared));
      },
      'accounts',
      'transaction_altered',
    ],
  ];
  test.each(cases)('%s', async (_name, attempt, flaw, code) => {
    expect(await attempt()).toEqual({ ok: false, flaw, code });
  });

  const bytes = async (change: (signed: Buffer) => string) => {
    const signed = Buffer.from(await signAsWallet(prepared.wire, actors.payer), 'base64');
    return verifySigned(change(signed), agreedOn(prepared));
  };
  test('a forged signature', async () => {
    const forged = await bytes((signed) => {
      signed[70] = (signed[70] ?? 0) ^ 1;
      return signed.toString('base64');
    });
    expect(forged).toEqual({ ok: false, flaw: 'signature', code: 'invalid_signature' });
  });

  test('no signature at all', async () => {
    const unsigned = await verifySigned(Buffer.from(prepared.wire).toString('base64'), agreedOn(prepared));
    expect(unsigned).toEqual({ ok: false, flaw: 'signature', code: 'invalid_signature' });
  });

  test('bytes after the end, even if they are signed too', async () => {
    const longer = Uint8Array.from([...prepared.wire, 0]);
    const refusal = { ok: false, flaw: 'trailing_bytes', code: 'invalid_payment_header' };
    expect(await verifySigned(await signAsWallet(longer, actors.payer), agreedOn(prepared))).toEqual(refusal);
    expect(await bytes((signed) => Buffer.concat([signed, Buffer.of(0)]).toString('base64'))).toEqual(refusal);
  });

  test('another spelling of the same bytes', async () => {
    const refusal = { ok: false, flaw: 'base64', code: 'invalid_payment_header' };
    expect(await bytes((signed) => ` ${signed.toString('base64')}`)).toEqual(refusal);
    expect(await bytes((signed) => `${signed.toString('base64').replace(/=*$/, '')}!`)).toEqual(refusal);
  });

  test('more than a packet holds', async () => {
    const refused = await bytes((signed) => Buffer.concat([signed, Buffer.alloc(1_232)]).toString('base64'));
    expect(refused).toEqual({ ok: false, flaw: 'size', code: 'invalid_payment_header' });
  });

  test('address lookup tables', async () => {
    // The last byte of a version 0 message counts its lookup tables.
    const table = [1, ...Buffer.from(crypto.getRandomValues(new Uint8Array(32))), 1, 0, 0];
    const wire = Uint8Array.from([...prepared.wire.subarray(0, -1), ...table]);
    const refused = await verifySigned(await signAsWallet(wire, actors.payer), agreedOn(prepared));
    expect(refused).toEqual({ ok: false, flaw: 'lookup_tables', code: 'invalid_payment_header' });
  });

  test('a transaction of version 1, or of one that nobody knows', async () => {
    for (const version of [1, 2, 127]) {
      const wire = Uint8Array.from(Buffer.from(await signAsWallet(prepared.wire, actors.payer), 'base64'));
      wire[1 + 2 * 64] = 0x80 | version;
      const refused = await verifySigned(Buffer.from(wire).toString('base64'), agreedOn(prepared));
      expect(refused).toMatchObject({ ok: false, code: 'invalid_payment_header' });
    }
  });
});

test('the payer is the second signer, where there is one', async () => {
  expect(submittedIn(Buffer.from(prepared.wire).toString('base64'))).toEqual({
    feePayer: prepared.terms.relayer,
    payer,
    blockhash: prepared.lifetime.blockhash,
    messageHash: prepared.messageHash,
  });
  expect(submittedIn('AAAA')).toBeUndefined();
});
