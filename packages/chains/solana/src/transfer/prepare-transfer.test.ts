import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { atomicAmount, payoutTerms } from '@svc-pay/money';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { acceptanceExtra } from '../prepare/acceptance-extra.ts';
import { type Actors, drawActors } from '../testing/actors.ts';
import { budgetFor, priorityLamports } from './compute-budget.ts';
import { type Leg, legsOf } from './legs.ts';
import { prepareTransfer } from './prepare-transfer.ts';
import { tokenAccountOf } from './token-account.ts';
import type { TransferTerms } from './transfer-terms.ts';

const lifetime = {
  blockhash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  lastValidBlockHeight: 1_000n,
  slot: 900n,
};
let actors: Actors;
beforeAll(async () => {
  actors = await drawActors();
});

async function prepare(terms: TransferTerms) {
  const made = await prepareTransfer(terms, lifetime);
  if (!made.ok) throw new Error(made.code);
  return made.prepared;
}

const owners = async (count: number): Promise<readonly Leg[]> =>
  (await Promise.all(Array.from({ length: count }, drawActors))).map(({ merchant }, index) => ({
    owner: merchant,
    amountAtomic: BigInt(index + 1),
  }));

test('the relayer pays the fee, the payer is the only other signer, and nobody’s place is taken', async () => {
  const { wire } = await prepare(actors.terms('pi_1'));
  const { signatures } = getTransactionDecoder().decode(wire);
  expect(signatures).toEqual({ [actors.relayer.address]: null, [actors.payer.address]: null });
  expect(Object.keys(signatures)[0]).toBe(actors.relayer.address);
});

test('the same terms and lifetime make the same bytes', async () => {
  const [one, other] = await Promise.all([prepare(actors.terms('pi_1')), prepare(actors.terms('pi_1'))]);
  expect(one).toEqual(other);
  expect((await prepare(actors.terms('pi_2'))).messageHash).not.toBe(one.messageHash);
});

test('two legs take some 520 bytes, and as many as an account may have still fit one packet', async () => {
  expect((await prepare(actors.terms('pi_019b5b2c7f3a7000a000000000000000'))).wire.length).toBeLessThan(560);
  const legs = await owners(10);
  expect((await prepare(actors.terms('pi_019b5b2c7f3a7000a000000000000000', legs))).wire.length).toBeLessThan(1_232);
  const made = await prepareTransfer(actors.terms('pi_1', await owners(18)), lifetime);
  expect(made).toEqual({ ok: false, code: 'too_many_legs' });
});

test('two legs cost the relayer at most 11,000 lamports: two signatures and the priority fee', () => {
  expect(10_000n + priorityLamports(budgetFor(2))).toBeLessThanOrEqual(11_000n);
});

test('without fee and splits the whole amount goes to the merchant in one transfer, for 10,500 lamports', async () => {
  const made = payoutTerms({ feeBps: 0, splits: [] });
  if (!made.ok) throw new Error(made.code);
  const recipients = { merchant: actors.merchant, feeRecipient: actors.platform, terms: made.terms };
  const legs = legsOf(atomicAmount(1_000_000n), recipients);
  expect(legs).toEqual([{ owner: actors.merchant, amountAtomic: 1_000_000n }]);
  const { wire } = await prepare(actors.terms('pi_1', legs));
  const message = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(wire).messageBytes);
  if (message.version !== 0) throw new Error('not version 0');
  const programs = message.instructions.map(({ programAddressIndex }) => message.staticAccounts[programAddressIndex]);
  expect(programs.filter((program) => program === actors.terms('').tokenProgram)).toHaveLength(1);
  const { mint, tokenProgram } = actors.terms('');
  expect(message.staticAccounts).toContain(await tokenAccountOf(actors.merchant, mint, tokenProgram));
  expect(message.staticAccounts).not.toContain(await tokenAccountOf(actors.platform, mint, tokenProgram));
  expect(10_000n + priorityLamports(budgetFor(1))).toBe(10_500n);
});

test('the memo carries the intent and comes last', async () => {
  const { wire } = await prepare(actors.terms('pi_1'));
  const message = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(wire).messageBytes);
  if (message.version !== 0) throw new Error('not version 0');
  expect(Buffer.from(message.instructions.at(-1)?.data ?? []).toString()).toBe('svc:pi_1');
});

test('nobody pays himself, and the relayer pays nobody', async () => {
  const { payer, relayer, merchant, terms } = actors;
  const toSelf = terms('pi_1', [
    { owner: merchant, amountAtomic: 1n },
    { owner: payer.address, amountAtomic: 1n },
  ]);
  expect(await prepareTransfer(toSelf, lifetime)).toEqual({ ok: false, code: 'payer_is_recipient' });
  const byRelayer = { ...terms('pi_1'), payer: relayer.address };
  expect(await prepareTransfer(byRelayer, lifetime)).toEqual({ ok: false, code: 'payer_is_relayer' });
});

test('a payer is an address with a key behind it', async () => {
  const { mint, tokenProgram } = actors.terms('');
  const keyless = await tokenAccountOf(actors.payer.address, mint, tokenProgram);
  for (const payer of ['', 'x', '0xabc', keyless]) {
    expect(await prepareTransfer({ ...actors.terms('pi_1'), payer }, lifetime)).toEqual({
      ok: false,
      code: 'payer_invalid',
    });
  }
});

test('legs sum to the amount, and none of them is nothing', () => {
  const bps = fc.integer({ min: 1, max: 1_000 });
  fc.assert(
    fc.property(fc.bigInt(1n, 2n ** 63n), bps, fc.array(bps, { maxLength: 8 }), (amount, feeBps, shares) => {
      const made = payoutTerms({ feeBps, splits: shares.map((share) => ({ to: 'split', bps: share })) });
      if (!made.ok) throw new Error(made.code);
      const legs = legsOf(atomicAmount(amount), { merchant: 'm', feeRecipient: 'f', terms: made.terms });
      expect(legs.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n)).toBe(amount);
      expect(legs.every(({ amountAtomic }) => amountAtomic > 0n)).toBe(true);
    }),
  );
});

test('an acceptance carries the transaction, and what a stock client needs where `payTo` gets it all', async () => {
  const split = await prepare(actors.terms('pi_1'));
  const extra = {
    intentId: 'pi_1',
    ledgerId: split.terms.mint,
    feePayer: actors.relayer.address,
    lastValidBlockHeight: 1_000,
  };
  const { merchant } = actors;
  expect(acceptanceExtra(split, merchant)).toEqual({
    ...extra,
    transactionBase64: Buffer.from(split.wire).toString('base64'),
  });
  const single = await prepare(actors.terms('pi_1', [{ owner: merchant, amountAtomic: 1n }]));
  expect(acceptanceExtra(single, merchant)).toMatchObject({
    ...extra,
    recentBlockhash: lifetime.blockhash,
    memo: 'svc:pi_1',
  });
  expect(acceptanceExtra(single, actors.platform)).not.toHaveProperty('memo');
});
