import { ChainUnavailable } from '@svc-pay/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
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
const ERROR = { InstructionError: [2n, { Custom: 1n }] };

/** What one node says of the transaction. `silent`: it does not answer that question. */
type Said = {
  readonly status:
    | 'silent'
    | null
    | { readonly commitment: Commitment; readonly slot: bigint; readonly fails: boolean };
  readonly told: 'silent' | null | { readonly slot: bigint; readonly fails: boolean; readonly delta: bigint };
};

const balances = (amount: bigint) => [
  { accountIndex: 1n, mint: MINT, uiTokenAmount: { amount: amount.toString(), decimals: 6n } },
];

const transactionOf = ({ slot, fails, delta }: Exclude<Said['told'], 'silent' | null>, id = ID) => ({
  slot,
  blockTime: null,
  transaction: { signatures: [id], message: { accountKeys: [RELAYER, ACCOUNT] } },
  meta: {
    err: fails ? ERROR : null,
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
        err: status.fails ? ERROR : null,
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
    const seen = status && { ...status, error: status.fails ? ERROR : null };
    const common = { finalizedHeight: 1_001n, status: seen, firstAvailableSlot: 0n };
    if (seen === null || seen.commitment === 'processed') return [judgeSighting(common, LIFETIME)];
    if (told === 'silent') return [];
    const landing = readLanding(told && TRANSACTION.parse(transactionOf(told)));
    return [judgeSighting({ ...common, landing }, LIFETIME)];
  });
  return agreeOnOutcome(votes);
}

const slots = fc.constantFrom(950n, 950n, 950n, 951n);
const fails = fc.constantFrom(false, false, false, true);
const said: fc.Arbitrary<Said> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      status: fc.record({
        commitment: fc.constantFrom<Commitment>('processed', 'confirmed', 'finalized'),
        slot: slots,
        fails,
      }),
      told: fc.oneof(
        { weight: 4, arbitrary: fc.record({ slot: slots, fails, delta: fc.constantFrom(5n, 5n, 5n, 6n) }) },
        { weight: 1, arbitrary: fc.constantFrom('silent' as const, null) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ status: fc.constantFrom('silent' as const, null), told: fc.constant(null) }) },
);

test('nodes that are not asked for the transaction could not have changed the outcome, and raise no commitment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 5 }), async (all) => {
      const nodes = all.map((one) => nodeFrom(askOf(one)));
      const found = await findTransactionOutcome(nodes, { transactionId: ID, lifetime: LIFETIME });
      const wanted = byAll(all);
      if (wanted.kind === 'expired' || wanted.kind === 'unknown') {
        expect(found).toEqual(wanted);
        return;
      }
      expect(found).toMatchObject({ kind: wanted.kind, landing: wanted.landing });
      const { commitment } = found as typeof wanted;
      expect(confirmationsOf(commitment) <= confirmationsOf(wanted.commitment)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

const HONEST: Said = {
  status: { commitment: 'confirmed', slot: 950n, fails: false },
  told: { slot: 950n, fails: false, delta: 5n },
};

test('of three nodes that agree two are asked for each transaction, in turn', async () => {
  const heard = [0, 1, 2].map(() => [] as string[]);
  const nodes = heard.map((list) => nodeFrom(askOf(HONEST, list)));
  const pending = Array.from({ length: 6 }, (_, index) => ({
    transactionId: `${index + 1}`.repeat(88),
    lifetime: LIFETIME,
  }));
  const found = await findTransactionOutcomes(nodes, pending);
  expect(found.map(({ kind }) => kind)).toEqual(pending.map(() => 'landed'));
  expect(heard.map((list) => list.filter((method) => method === 'getTransaction').length)).toEqual([4, 4, 4]);
});

test('where the first two differ, or one of them is silent, the third is asked', async () => {
  const liar: Said = { ...HONEST, told: { slot: 950n, fails: false, delta: 6n } };
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
  const at = (commitment: Commitment): Said => ({ ...HONEST, status: { commitment, slot: 950n, fails: false } });
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
