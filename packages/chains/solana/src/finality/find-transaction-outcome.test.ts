import { ChainUnavailable } from '@svc-pay/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PROGRAM_CODES } from '../message/program-codes.ts';
import { readLanding } from '../prove/read-balance-changes.ts';
import { TRANSACTION } from '../rpc/answer-shapes.ts';
import type { AskNode } from '../rpc/post-call.ts';
import { type Commitment, nodeFrom } from '../rpc/solana-node.ts';
import { confirmationsOf } from './commitment.ts';
import { findTransactionOutcome, findTransactionOutcomes } from './find-transaction-outcome.ts';
import { agreeOnOutcome, judgeSighting, type TransactionOutcome } from './transaction-outcome.ts';

const ID = '5'.repeat(88);
const [RELAYER, ACCOUNT, MINT] = ['4', '6', '7'].map((digit) => digit.repeat(43));
const LIFETIME = { blockhash: ACCOUNT!, lastValidBlockHeight: 1_000n, slot: 900n };
const errorOf = (code: bigint | null) => (code === null ? null : { InstructionError: [2n, { Custom: code }] });
const [POOR, USED] = [1n, PROGRAM_CODES.used];

/** What one node says of the transaction. `silent`: it does not answer that question. */
type Said = {
  readonly status:
    | 'silent'
    | null
    | { readonly commitment: Commitment; readonly slot: bigint; readonly code: bigint | null };
  readonly told: 'silent' | null | { readonly slot: bigint; readonly code: bigint | null; readonly delta: bigint };
};

const balances = (amount: bigint) => [
  { accountIndex: 1n, mint: MINT, uiTokenAmount: { amount: amount.toString(), decimals: 6n } },
];

const transactionOf = ({ slot, code, delta }: Exclude<Said['told'], 'silent' | null>, id = ID) => ({
  slot,
  blockTime: null,
  transaction: { signatures: [id], message: { accountKeys: [RELAYER, ACCOUNT] } },
  meta: {
    err: errorOf(code),
    preBalances: [20_000n, 0n],
    postBalances: [9_400n, 0n],
    preTokenBalances: balances(100n),
    postTokenBalances: balances(100n + delta),
    loadedAddresses: null,
  },
});

function askOf({ status, told }: Said, heard: string[] = []): AskNode {
  return async (method, params = []) => {
    heard.push(method);
    const answer = (result: unknown) => ({ ok: true, result }) as const;
    if (method === 'getBlockHeight') return answer(1_001n);
    if (method === 'getFirstAvailableBlock') return answer(0n);
    if (method === 'getSignatureStatuses') {
      if (status === 'silent') throw new ChainUnavailable('silent');
      const one = status && {
        slot: status.slot,
        err: errorOf(status.code),
        confirmationStatus: status.commitment,
      };
      return answer({ context: { slot: 1n }, value: (params[0] as string[]).map(() => one) });
    }
    if (told === 'silent') throw new ChainUnavailable('silent');
    return answer(told && transactionOf(told, String(params[0])));
  };
}

/** What is right: every node is asked for everything. */
function byAll(all: readonly Said[]): TransactionOutcome {
  const votes = all.flatMap(({ status, told }) => {
    if (status === 'silent') return [];
    const seen = status && { ...status, error: errorOf(status.code) };
    const common = { finalizedHeight: 1_001n, status: seen, firstAvailableSlot: 0n };
    if (seen === null || seen.commitment === 'processed') return [judgeSighting(common, LIFETIME)];
    if (told === 'silent') return [];
    const landing = readLanding(told && TRANSACTION.parse(transactionOf(told)));
    return [judgeSighting({ ...common, landing }, LIFETIME)];
  });
  const outcome = agreeOnOutcome(votes);
  const isKnown = all.some(({ status }) => status !== 'silent' && status !== null && status.commitment !== 'processed');
  return outcome.kind === 'expired' && isKnown ? { kind: 'unknown' } : outcome;
}

const slots = fc.constantFrom(950n, 950n, 950n, 951n);
const code = fc.constantFrom(null, null, null, POOR, POOR, USED);
const said: fc.Arbitrary<Said> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      status: fc.record({
        commitment: fc.constantFrom<Commitment>('processed', 'confirmed', 'finalized'),
        slot: slots,
        code,
      }),
      told: fc.oneof(
        { weight: 4, arbitrary: fc.record({ slot: slots, code, delta: fc.constantFrom(5n, 5n, 5n, 6n) }) },
        { weight: 1, arbitrary: fc.constantFrom('silent' as const, null) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ status: fc.constantFrom('silent' as const, null), told: fc.constant(null) }) },
);

const idsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ transactionId: `${index + 1}`.repeat(88), lifetime: LIFETIME }));

test('nodes that are not asked for the transaction could not have changed the outcome, and raise no commitment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 5 }), async (all) => {
      const nodes = all.map((one) => nodeFrom(askOf(one)));
      const wanted = byAll(all);
      // Whichever node is asked first.
      for (const found of await findTransactionOutcomes(nodes, idsOf(all.length))) {
        if (wanted.kind === 'expired' || wanted.kind === 'unknown') {
          expect(found).toEqual(wanted);
          continue;
        }
        expect(found).toMatchObject({ kind: wanted.kind, landing: wanted.landing });
        const { commitment } = found as typeof wanted;
        expect(confirmationsOf(commitment) <= confirmationsOf(wanted.commitment)).toBe(true);
      }
    }),
    { numRuns: 3_000 },
  );
});

const HONEST: Said = {
  status: { commitment: 'confirmed', slot: 950n, code: null },
  told: { slot: 950n, code: null, delta: 5n },
};

test('of three nodes that agree two are asked for each transaction, in turn', async () => {
  const heard = [0, 1, 2].map(() => [] as string[]);
  const nodes = heard.map((list) => nodeFrom(askOf(HONEST, list)));
  const pending = idsOf(6);
  const found = await findTransactionOutcomes(nodes, pending);
  expect(found.map(({ kind }) => kind)).toEqual(pending.map(() => 'landed'));
  expect(heard.map((list) => list.filter((method) => method === 'getTransaction').length)).toEqual([4, 4, 4]);
});

test('where the first two differ, or one of them is silent, the third is asked', async () => {
  const liar: Said = { ...HONEST, told: { slot: 950n, code: null, delta: 6n } };
  for (const other of [liar, { ...HONEST, told: 'silent' as const }])
    for (const all of [
      [other, HONEST, HONEST],
      [HONEST, other, HONEST],
    ])
      expect(
        await findTransactionOutcome(
          all.map((one) => nodeFrom(askOf(one))),
          { transactionId: ID, lifetime: LIFETIME },
        ),
      ).toEqual(byAll([HONEST, HONEST]));
});

test('the status of a node that is not asked holds the commitment back', async () => {
  const at = (commitment: Commitment): Said => ({ ...HONEST, status: { commitment, slot: 950n, code: null } });
  for (const [last, wanted] of [
    ['confirmed', 'confirmed'],
    ['finalized', 'finalized'],
  ] as const)
    expect(
      await findTransactionOutcome(
        [at('finalized'), at('finalized'), at(last)].map((one) => nodeFrom(askOf(one))),
        { transactionId: ID, lifetime: LIFETIME },
      ),
    ).toMatchObject({ kind: 'landed', commitment: wanted });
});

test('why a transaction failed is what two nodes say, whichever of them is asked first', async () => {
  const failed = (reason: bigint): Said => ({
    status: { commitment: 'finalized', slot: 950n, code: reason },
    told: { slot: 950n, code: reason, delta: 0n },
  });
  const nodes = [failed(USED), failed(POOR), failed(USED)].map((one) => nodeFrom(askOf(one)));
  for (const found of await findTransactionOutcomes(nodes, idsOf(3)))
    expect(found).toMatchObject({ kind: 'failed', landing: { error: errorOf(USED) } });
  const two = [failed(USED), failed(POOR)].map((one) => nodeFrom(askOf(one)));
  for (const found of await findTransactionOutcomes(two, idsOf(2))) expect(found).toEqual({ kind: 'unknown' });
});

test('a transaction that one node knows and does not return has not expired, though the other never heard of it', async () => {
  const nodes = [
    { ...HONEST, told: 'silent' as const },
    { status: null, told: null },
  ].map((one) => nodeFrom(askOf(one)));
  expect(await findTransactionOutcome(nodes, { transactionId: ID, lifetime: LIFETIME })).toEqual({ kind: 'unknown' });
});
