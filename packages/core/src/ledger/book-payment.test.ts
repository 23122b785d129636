import { MAX_ATOMIC } from '@svc-pay/money';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settledPayment, someAddress } from '../testing/settled-payment.ts';
import { bookPayment } from './book-payment.ts';
import { type LedgerEntry, NATIVE_ASSET, NETWORK_PARTY, reverseEntries } from './ledger-entry.ts';

const booking = { nowMs: 1_700_000_000_000 };
const units = fc.oneof(fc.bigInt({ min: 1n, max: MAX_ATOMIC }), fc.bigInt({ min: 1n, max: 20_000n }));
const anyPayment = fc
  .record({
    amounts: fc.tuple(units, units),
    feeBps: fc.integer({ min: 0, max: 1_000 }),
    splitBps: fc.array(fc.integer({ min: 1, max: 1_125 }), { maxLength: 8 }),
    gasShareAtomic: fc.bigInt({ min: 0n, max: 10n ** 18n }),
    escrowed: fc.subarray(['merchant', 'fee', 'payer', 'split']),
  })
  .map(({ amounts: [one, other], feeBps, splitBps, gasShareAtomic, escrowed }) =>
    settledPayment({
      capAtomic: one > other ? one : other,
      settledAtomic: one > other ? other : one,
      feeBps,
      splits: splitBps.map((bps, index) => ({ to: someAddress(100 + index), bps })),
      gasShareAtomic,
      escrowed,
    }),
  );
const many = { numRuns: 500 };

const sum = (entries: readonly LedgerEntry[]) => entries.reduce((total, { amountAtomic }) => total + amountAtomic, 0n);
const inToken = (entries: readonly LedgerEntry[]) => entries.filter(({ asset }) => asset !== NATIVE_ASSET);

test('the entries of a payment sum to zero in each asset', () => {
  fc.assert(
    fc.property(anyPayment, (payment) => {
      const { entries } = bookPayment(payment, booking);
      for (const asset of [payment.item.asset, NATIVE_ASSET])
        expect(sum(entries.filter((entry) => entry.asset === asset))).toBe(0n);
      expect(new Set(entries.map(({ asset }) => asset))).toEqual(
        new Set([payment.item.asset, ...(payment.gasShareAtomic > 0n ? [NATIVE_ASSET] : [])]),
      );
    }),
    many,
  );
});

test('the cap leaves the payer whole, and merchant, splits, fee, refund and escrow are all of it', () => {
  fc.assert(
    fc.property(anyPayment, (payment) => {
      const [payer, ...parts] = inToken(bookPayment(payment, booking).entries);
      expect(payer).toMatchObject({ accountName: 'payer', amountAtomic: -payment.item.capAtomic });
      expect(sum(parts)).toBe(payment.item.capAtomic);
      expect(parts.every(({ accountName, amountAtomic }) => accountName !== 'payer' && amountAtomic > 0n)).toBe(true);
    }),
    many,
  );
});

test('no entry is empty, no two have one id, and each names payment, transaction and log', () => {
  fc.assert(
    fc.property(anyPayment, (payment) => {
      const { entries } = bookPayment(payment, booking);
      expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
      for (const entry of entries) {
        expect(entry.amountAtomic).not.toBe(0n);
        expect(entry).toMatchObject({
          accountId: payment.item.accountId,
          mode: payment.item.mode,
          paymentId: payment.item.paymentId,
          network: payment.lane.network,
          transactionId: payment.batch.transactionId,
          logIndex: entry.accountName === 'payer' ? payment.mined.transferLogIndex : payment.mined.logIndex,
          reverses: null,
        });
      }
    }),
  );
});

test('what could not be delivered is kept in escrow for its owner, and nowhere else', () => {
  fc.assert(
    fc.property(anyPayment, (payment) => {
      for (const { accountName, party, amountAtomic } of inToken(bookPayment(payment, booking).entries)) {
        if (amountAtomic < 0n) continue;
        expect(accountName === 'escrow').toBe(payment.mined.escrowedFor.includes(party));
      }
    }),
  );
});

test('a payment is booked part by part', () => {
  const payment = settledPayment({
    capAtomic: 1_000n,
    settledAtomic: 777n,
    feeBps: 250,
    splits: [{ to: someAddress(9), bps: 1_000 }],
    gasShareAtomic: 21_000n,
    escrowed: [],
  });
  const { payer, payout } = payment.item;
  const { entries } = bookPayment(payment, booking);
  expect(entries.map(({ accountName, party, amountAtomic }) => [accountName, party, amountAtomic])).toEqual([
    ['payer', payer, -1_000n],
    ['merchant', payout.merchant, 681n],
    ['split', someAddress(9), 77n],
    ['platform_fee', payment.batch.feeRecipient, 19n],
    ['refund', payer, 223n],
    ['network_cost', payment.lane.relayer, -21_000n],
    ['network_cost', NETWORK_PARTY, 21_000n],
  ]);
});

test('one party has one spelling, whoever spelled it', () => {
  const payment = settledPayment({ escrowed: ['merchant'] });
  const shouted = `0x${payment.item.payout.merchant.slice(2).toUpperCase()}`;
  const { item } = payment;
  const { entries } = bookPayment(
    { ...payment, item: { ...item, payout: { ...item.payout, merchant: shouted } } },
    booking,
  );
  expect(entries.find(({ accountName }) => accountName === 'escrow')?.party).toBe(item.payout.merchant);
});

test('a fee that the terms do not give is never booked', () => {
  const payment = settledPayment({ feeBps: 100 });
  for (const off of [-1n, 1n]) {
    const lying = { ...payment, mined: { ...payment.mined, feeAtomic: payment.mined.feeAtomic + off } };
    expect(() => bookPayment(lying, booking)).toThrow(/the chain took a fee/);
  }
});

test('the evidence of another payment is never booked', () => {
  const payment = settledPayment({});
  const mined = { ...payment.mined, paymentId: settledPayment({}).item.paymentId };
  expect(() => bookPayment({ ...payment, mined }, booking)).toThrow(/the mined item is of payment/);
});

test('entries and what takes them back are nothing together, line by line', () => {
  fc.assert(
    fc.property(anyPayment, (payment) => {
      const { entries } = bookPayment(payment, booking);
      const back = reverseEntries(entries, { nowMs: booking.nowMs + 5 });
      expect(back.map(({ reverses }) => reverses)).toEqual(entries.map(({ id }) => id));
      for (const [index, entry] of entries.entries()) {
        const opposite = back[index]!;
        expect(opposite).toEqual({
          ...entry,
          id: opposite.id,
          reverses: entry.id,
          amountAtomic: -entry.amountAtomic,
          createdAtMs: entry.createdAtMs + 5,
        });
        expect(opposite.id).not.toBe(entry.id);
      }
      expect(() => reverseEntries(back, booking)).toThrow(/a reversal can.t be reversed/);
    }),
  );
});
