import type { Address, Instruction } from '@solana/kit';
import { beforeAll, expect, test } from 'vitest';
import { type Actors, drawActors } from '../testing/actors.ts';
import { alter } from '../testing/alter.ts';
import { prepareTransfer } from '../transfer/prepare-transfer.ts';
import { MEMO_PROGRAM, NEWER_MEMO_PROGRAM } from '../transfer/programs.ts';
import type { PreparedTransfer } from '../transfer/transfer-terms.ts';
import { readForeignMemo } from './read-memo.ts';
import { base64Of, readTransaction } from './read-transaction.ts';

const ANY = { required: null };
let actors: Actors;
let prepared: PreparedTransfer;
beforeAll(async () => {
  actors = await drawActors();
  const blockhash = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
  const made = await prepareTransfer(actors.terms('pi_1'), { blockhash, lastValidBlockHeight: 1_000n, slot: 900n });
  if (!made.ok) throw new Error(made.code);
  prepared = made.prepared;
});

const memo = (data: Uint8Array | string, programAddress: Address = MEMO_PROGRAM): Instruction => ({
  programAddress,
  data: typeof data === 'string' ? new TextEncoder().encode(data) : data,
});

async function read(memos: readonly Instruction[], rule: { readonly required: string | null } = ANY) {
  const wire = await alter(prepared, { terms: { ...prepared.terms, memo: null }, after: memos });
  const transaction = readTransaction(base64Of(wire));
  if (!transaction.ok) throw new Error(transaction.flaw);
  return readForeignMemo(transaction.message, rule);
}

test('a memo is read under both programs, and its absence is told', async () => {
  expect(await read([memo('order 7')])).toBe('order 7');
  expect(await read([memo('Bestellung für 7 €', NEWER_MEMO_PROGRAM)])).toBe('Bestellung für 7 €');
  expect(await read([memo('a'.repeat(256))])).toBe('a'.repeat(256));
  expect(await read([])).toBeNull();
});

test('where a seller requires a memo, no other is taken', async () => {
  expect(await read([memo('order 7')], { required: 'order 7' })).toBe('order 7');
  expect(await read([memo('order 8')], { required: 'order 7' })).toBeUndefined();
  expect(await read([], { required: 'order 7' })).toBeUndefined();
});

test.each(['svc:pi_1', 'svcref:re_1'])(
  'a memo that names an intent or a refund of ours is never taken, also if a seller requires it: %s',
  async (own) => {
    expect(await read([memo(own)])).toBeUndefined();
    expect(await read([memo(own)], { required: own })).toBeUndefined();
  },
);

test.each<[string, () => readonly Instruction[]]>([
  ['two memos', () => [memo('a'), memo('b', NEWER_MEMO_PROGRAM)]],
  ['an empty one', () => [memo('')]],
  ['one byte too many', () => [memo('a'.repeat(257))]],
  ['bytes that are no UTF-8', () => [memo(Uint8Array.of(0xff, 0xfe))]],
  ['control characters, which the database would not store', () => [memo('a\u0000b')]],
])('%s: not taken', async (_, memos) => {
  expect(await read(memos())).toBeUndefined();
});
