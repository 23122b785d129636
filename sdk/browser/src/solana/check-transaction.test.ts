import {
  AccountRole,
  type Address,
  appendTransactionMessageInstruction,
  compileTransaction,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
} from '@solana/kit';
import { bytesFromBase58, tokenAccountOf } from '@svc-pay/protocol/solana';
import { expect, test } from 'vitest';
import { INTENT_ID } from '../testing/fake-service.ts';
import { drawKey, MERCHANT, MINT, PLATFORM, PRICE_ATOMIC, preparedFor, RELAYER } from '../testing/solana-actors.ts';
import { checkTransaction, payerOf, type TransactionDifference } from './check-transaction.ts';

const { address: payer } = drawKey();
const { address: stranger } = drawKey();
const AGREED = {
  payer,
  feePayer: RELAYER,
  mint: MINT,
  amountAtomic: PRICE_ATOMIC,
  payTo: MERCHANT,
  paymentIntentId: INTENT_ID,
} as const;

const legs = (merchant: string, merchantAtomic = PRICE_ATOMIC - 1n) => [
  { owner: merchant, amountAtomic: merchantAtomic },
  { owner: PLATFORM, amountAtomic: 1n },
];

test('what the service prepares is found to be what was agreed', async () => {
  const prepared = await preparedFor(payer);
  expect(checkTransaction(prepared, AGREED)).toEqual({
    ok: true,
    wire: Uint8Array.from(Buffer.from(prepared, 'base64')),
  });
  expect(checkTransaction(prepared, { ...AGREED, feePayer: undefined }).ok).toBe(true);
  expect(payerOf(prepared)).toBe(payer);
});

test.each<[string, TransactionDifference, Parameters<typeof preparedFor>[1]]>([
  ['a unit more', 'amount', { legs: legs(MERCHANT, PRICE_ATOMIC) }],
  ['a unit less', 'amount', { legs: legs(MERCHANT, PRICE_ATOMIC - 2n) }],
  ['another merchant', 'payTo', { legs: legs(stranger) }],
  ['another token', 'asset', { mint: stranger }],
  ['another intent', 'intent', { intentId: 'pi_2' }],
  ['another relayer', 'feePayer', { relayer: stranger }],
  ['another payer', 'payer', { payer: stranger }],
  ['another program', 'instruction', { tokenProgram: stranger }],
])('%s: refused', async (_, difference, changes) => {
  const altered = await preparedFor(changes?.payer ?? payer, changes);
  expect(checkTransaction(altered, AGREED)).toEqual({ ok: false, difference });
});

test('a transaction whose fee the payer would bear is refused', async () => {
  const own = await preparedFor(stranger, { relayer: payer });
  expect(checkTransaction(own, { ...AGREED, feePayer: undefined })).toEqual({ ok: false, difference: 'feePayer' });
});

async function withInstruction(added: Instruction): Promise<string> {
  const transaction = getTransactionDecoder().decode(Buffer.from(await preparedFor(payer), 'base64'));
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(transaction.messageBytes));
  const compiled = compileTransaction(appendTransactionMessageInstruction(added, message as never));
  return Buffer.from(getTransactionEncoder().encode(compiled)).toString('base64');
}

const writable = (address: string) => ({ address: address as Address, role: AccountRole.WRITABLE }) as const;
const signing = (address: string) => ({ address: address as Address, role: AccountRole.WRITABLE_SIGNER }) as const;
const program = (address: string) => address as Address;
const MESSAGE_AT = 1 + 2 * 64;
/** From the last byte of the first transfer: program, count of accounts, source, mint. */
const SECOND_DESTINATION = 5;
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

test.each<[string, TransactionDifference, Instruction]>([
  [
    'SOL of the payer',
    'instruction',
    {
      programAddress: program('1'.repeat(32)),
      accounts: [signing(payer), writable(stranger)],
      data: new Uint8Array([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
    },
  ],
  [
    'a delegate over the payer’s tokens',
    'instruction',
    {
      programAddress: program(TOKEN),
      accounts: [writable(stranger), writable(stranger), signing(payer)],
      data: new Uint8Array([4, 255, 0, 0, 0, 0, 0, 0, 0]),
    },
  ],
  [
    'another signer',
    'payer',
    { programAddress: program(TOKEN), accounts: [signing(stranger)], data: new Uint8Array([1]) },
  ],
  [
    'a second memo',
    'intent',
    {
      programAddress: program('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
      data: new TextEncoder().encode(`svc:${INTENT_ID}`),
    },
  ],
])('with %s: refused', async (_, difference, added) => {
  expect(checkTransaction(await withInstruction(added), AGREED)).toEqual({ ok: false, difference });
});

test('no byte that matters can be changed, left out or added', async () => {
  const prepared = await preparedFor(payer);
  const wire = Buffer.from(prepared, 'base64');
  const { messageBytes } = getTransactionDecoder().decode(wire);
  const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const others = tokenAccountOf(PLATFORM, MINT, TOKEN) ?? '';
  // Until when it lives, what the relayer offers the network, who else is paid out of the agreed amount; and the decimals,
  // which the chain holds against the mint's own.
  const free = [lifetimeToken, others].map((text) => Buffer.from(bytesFromBase58(text) ?? []));
  const budget = [Buffer.of(5, 2), Buffer.of(9, 3)].map((mark) =>
    wire.subarray(wire.indexOf(mark) + 1).subarray(0, mark[0]),
  );
  const decimals = [PRICE_ATOMIC - 125_000n, 125_000n].map((amount) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(amount);
    return wire.indexOf(bytes) + bytes.length;
  });
  const othersAt = (decimals[0] ?? 0) + SECOND_DESTINATION;
  const isFree = (at: number) =>
    decimals.includes(at) ||
    at === othersAt ||
    [...free, ...budget].some((part) => at >= wire.indexOf(part) && at < wire.indexOf(part) + part.length);
  const passed: number[] = [];
  for (let at = MESSAGE_AT; at < wire.length; at += 1) {
    const changed = Buffer.from(wire);
    changed[at] = (changed[at] ?? 0) ^ 1;
    if (checkTransaction(changed.toString('base64'), AGREED).ok && !isFree(at)) passed.push(at - MESSAGE_AT);
  }
  // Which accounts may be written, by the message's header: the chain itself holds it against the programs.
  expect(passed.filter((at) => at > 3)).toEqual([]);
  for (let length = 0; length < wire.length; length += 1) {
    expect(checkTransaction(wire.subarray(0, length).toString('base64'), AGREED).ok).toBe(false);
  }
  expect(checkTransaction(Buffer.concat([wire, Buffer.of(0)]).toString('base64'), AGREED).ok).toBe(false);
  expect(checkTransaction('not base64!', AGREED)).toEqual({ ok: false, difference: 'transaction' });
});
