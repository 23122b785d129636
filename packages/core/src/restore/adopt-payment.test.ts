import { evmNetwork, UPTO_CAP_METADATA_KEY } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { CARRIED_TOKEN, carriedPayment } from '../testing/carried-payment.ts';
import { someAddress } from '../testing/settled-payment.ts';
import { type AdoptFacts, adoptPayment, STAND_IN_KEY } from './adopt-payment.ts';

const NOW_MS = 1_700_000_000_000;
const payoutOwner = { accountId: newId('account', NOW_MS), mode: 'test' } as const;
const facts = (change: Partial<AdoptFacts> = {}): AdoptFacts => ({
  network: evmNetwork(84_532),
  carried: carriedPayment(),
  intentCode: 4_242n,
  batchId: 'bat_1',
  payoutOwner,
  nowMs: NOW_MS,
  ...change,
});
const written = (change: Partial<AdoptFacts> = {}) => {
  const decided = adoptPayment(facts(change));
  if (decided.step !== 'write') throw new Error(decided.reason);
  return decided;
};

test('a stand-in belongs to the owner of the payout, says that it is one, and has nothing that the chain does not say', () => {
  const { standIn, rows } = written();
  expect(standIn).toMatchObject({
    ...payoutOwner,
    intentCode: 4_242,
    status: 'requires_payment',
    upto: false,
    amount: 1_500_000n,
    ledgerId: CARRIED_TOKEN.address,
    amountUsd: null,
    description: null,
    expectedSender: null,
    metadata: {},
    serviceMetadata: { [STAND_IN_KEY]: true },
    expiresAtMs: 1_800_000_000_000,
  });
  expect(rows.intent).toEqual({ ...standIn, status: 'processing' });
  expect(rows.carried.asset).toBe(CARRIED_TOKEN.address);
  expect(rows.events.map(({ type, sequence }) => [type, sequence])).toEqual([['payment_intent.created', 1]]);
});

test('only a payment that settled less than its cap is known to be up-to', () => {
  const { standIn, rows } = written({ carried: carriedPayment({ settledAtomic: 1n }) });
  expect(standIn).toMatchObject({
    upto: true,
    confirmedPayer: someAddress(0xaa),
    serviceMetadata: { [STAND_IN_KEY]: true, [UPTO_CAP_METADATA_KEY]: '1500000' },
  });
  expect(rows.events.map(({ type }) => type)).toEqual(['payment_intent.created', 'x402_upto_authorization_received']);
});

test.each<[string, Partial<AdoptFacts>]>([
  ['a payout of nobody', { payoutOwner: undefined }],
  ['a token that is not in the catalogue', { carried: carriedPayment({ asset: someAddress(0x99) }) }],
  ['a token of another network', { network: evmNetwork(1) }],
  ['a code that is not one of ours', { intentCode: 2n ** 53n }],
])('%s is refused', (_, change) => {
  expect(adoptPayment(facts(change))).toEqual({ step: 'refuse', reason: 'no payout of ours has its payout id' });
});

test('a direct payment whose nonce names another intent gets no stand-in', () => {
  const nonceOf = (code: bigint) =>
    `0x${Buffer.from('svcdir').toString('hex')}0000${code.toString(16).padStart(16, '0')}${'0'.repeat(32)}`;
  const direct = (code: bigint) => carriedPayment({ nonce: nonceOf(code), direct: true });
  expect(adoptPayment(facts({ carried: direct(1n) }))).toMatchObject({ step: 'refuse' });
  expect(adoptPayment(facts({ carried: direct(carriedPayment().intentCode) }))).toMatchObject({ step: 'write' });
});
