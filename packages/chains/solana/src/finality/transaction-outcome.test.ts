import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Landing } from '../prove/read-balance-changes.ts';
import type { Commitment } from '../rpc/solana-node.ts';
import { agreeOnOutcome, judgeSighting, type Sighting, type TransactionOutcome } from './transaction-outcome.ts';

const lifetime = { blockhash: 'b', lastValidBlockHeight: 1_000n, slot: 900n };
const landing = (slot = 950n, error: unknown = null, delta = 5n, accounts = ['relayer', 'account']): Landing => ({
  slot,
  error,
  changes: new Map([['account', { mint: 'mint', deltaAtomic: delta }]]),
  costLamports: 10_600n,
  lamports: new Map(),
  accounts,
});
const seen = (commitment: Commitment, error: unknown = null): Sighting => ({
  finalizedHeight: 0n,
  status: { slot: 950n, commitment, error },
  landing: landing(950n, error),
});
const unseen = (finalizedHeight: bigint, firstAvailableSlot?: bigint): Sighting => ({
  finalizedHeight,
  status: null,
  ...(firstAvailableSlot !== undefined && { firstAvailableSlot }),
});
const landed = (commitment: Commitment, of = landing()): TransactionOutcome => ({
  kind: 'landed',
  commitment,
  landing: of,
});
const unknown: TransactionOutcome = { kind: 'unknown' };
const expired: TransactionOutcome = { kind: 'expired' };

test('what a node knows nothing of has expired one finalized block after its last, and not before', () => {
  expect(judgeSighting(unseen(1_000n, 0n), lifetime)).toEqual(unknown);
  expect(judgeSighting(unseen(1_001n, 0n), lifetime)).toEqual(expired);
});

test('a node whose history begins after the transaction was made can’t say that it never was', () => {
  expect(judgeSighting(unseen(1_001n, 900n), lifetime)).toEqual(expired);
  expect(judgeSighting(unseen(1_001n, 901n), lifetime)).toEqual(unknown);
  expect(judgeSighting(unseen(1_001n), lifetime)).toEqual(unknown);
});

test('a status alone proves nothing: what it did must be told too, and of the same slot', () => {
  const { status, finalizedHeight } = seen('finalized');
  expect(judgeSighting({ status, finalizedHeight }, lifetime)).toEqual(unknown);
  expect(judgeSighting({ status, finalizedHeight, landing: landing(951n) }, lifetime)).toEqual(unknown);
  expect(judgeSighting({ status, finalizedHeight, landing: landing(950n, 'failed') }, lifetime)).toEqual(unknown);
  expect(judgeSighting(seen('finalized'), lifetime)).toEqual(landed('finalized'));
  expect(judgeSighting(seen('confirmed', { InstructionError: [2n, { Custom: 1n }] }), lifetime)).toMatchObject({
    kind: 'failed',
  });
});

test('however far the chain is, what landed has not expired', () => {
  const late = { ...seen('finalized'), finalizedHeight: 1_000_000n };
  expect(judgeSighting(late, lifetime)).toMatchObject({ kind: 'landed' });
});

test('one that answers alone is believed, two must agree, and none knows nothing', () => {
  expect(agreeOnOutcome([])).toEqual(unknown);
  expect(agreeOnOutcome([landed('confirmed')])).toEqual(landed('confirmed'));
  expect(agreeOnOutcome([landed('confirmed'), unknown])).toEqual(unknown);
  expect(agreeOnOutcome([landed('confirmed'), landed('confirmed')])).toEqual(landed('confirmed'));
  expect(agreeOnOutcome([landed('confirmed'), landed('confirmed', landing(950n, null, 6n))])).toEqual(unknown);
  const named = landing(950n, null, 5n, ['relayer', 'account', 'reference']);
  expect(agreeOnOutcome([landed('confirmed'), landed('confirmed', named)])).toEqual(unknown);
  expect(agreeOnOutcome([landed('finalized'), unknown, landed('finalized')])).toEqual(landed('finalized'));
  const [here, there] = [landed('finalized'), landed('finalized', landing(951n))];
  expect(agreeOnOutcome([here, here, there, there])).toEqual(unknown);
  expect(agreeOnOutcome([here, here, here, there, there])).toEqual(here);
});

test('of two commitments the lower one counts', () => {
  expect(agreeOnOutcome([landed('finalized'), landed('confirmed')])).toEqual(landed('confirmed'));
});

test('expired is what every node says that answers', () => {
  expect(agreeOnOutcome([expired, expired])).toEqual(expired);
  fc.assert(
    fc.property(
      fc.shuffledSubarray([expired, expired, expired, landed('confirmed'), unknown], { minLength: 1 }),
      (outcomes) => {
        const alike = outcomes.every(({ kind }) => kind === 'expired');
        expect(agreeOnOutcome(outcomes).kind === 'expired').toBe(alike);
      },
    ),
  );
});
