import { expect, test } from 'vitest';
import { readLimits } from './limits.ts';
import { type AgentPayment, type AgentPaymentStage, EMPTY_BOOK, reserve } from './spend-book.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_794_872_400_000;
const limits = readLimits({ perRequest: '1', perHost: '1', perDay: '1' });

function payment(id: string, stage: AgentPaymentStage, daysAgo: number): AgentPayment {
  return {
    id,
    stage,
    isKeyed: true,
    requestHash: id,
    host: 'one.example',
    day: '2026-11-16',
    units: '1',
    network: 'eip155:8453',
    chainId: 8453,
    asset: '0x',
    domain: { name: 'USD Coin', version: '2' },
    primaryType: 'TransferWithAuthorization',
    authorization: { from: '', to: '', value: '1', validAfter: '0', validBefore: '0', nonce: id },
    envelope: {},
    headerName: 'payment-signature',
    atMs: NOW_MS - daysAgo * DAY_MS,
  };
}

/** What is left of these beside `count` purchases of today that are over, after one more is reserved. */
function leftOf(old: readonly AgentPayment[], count: number): readonly string[] {
  const newer = Array.from({ length: count }, (_, index) => payment(`new-${index}`, 'delivered', 0));
  const payments = Object.fromEntries([...old, ...newer].map((one) => [one.id, one]));
  const { book } = reserve({ ...EMPTY_BOOK, payments }, 'next', payment('next', 'reserved', 0), limits);
  return old.map(({ id }) => id).filter((id) => Object.hasOwn(book.payments, id));
}

test('a purchase is forgotten only when it is over, old, and not among the newest ten thousand', () => {
  const stages: readonly AgentPaymentStage[] = ['reserved', 'signed', 'answered', 'delivered', 'used'];
  const old = stages.map((stage) => payment(stage, stage, 31));
  expect(leftOf(old, 9_998)).toEqual(stages);
  expect(leftOf(old, 10_000)).toEqual(['reserved', 'signed', 'answered']);
  const young = stages.map((stage) => payment(stage, stage, 29));
  expect(leftOf(young, 10_000)).toEqual(stages);
});
