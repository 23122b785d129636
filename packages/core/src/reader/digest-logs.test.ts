import { expect, test } from 'vitest';
import { digestLogs } from './digest-logs.ts';
import type { AuthorizationLog, MoneyLog, ProcessorLog } from './money-log.ts';

const position = { blockNumber: 7n, blockHash: '0xb', transactionId: '0xt', logIndex: 3 };
const used: AuthorizationLog = { event: 'authorization_used', address: '0xa', position, payer: '0xp', nonce: '0xn' };
const settled: ProcessorLog = {
  event: 'payment_settled',
  address: '0xa',
  position,
  payer: '0xp',
  intentCode: 1n,
  asset: '0xc',
  payoutId: 2n,
  amountAtomic: 3n,
  feeAtomic: 4n,
};

test('logs that differ in one field, or in their order, have another digest', () => {
  const others: MoneyLog[] = [
    ...(['event', 'address', 'payer', 'nonce'] as const).map((field) => ({ ...used, [field]: 'other' })),
    ...(['event', 'payer', 'intentCode', 'asset', 'payoutId', 'amountAtomic', 'feeAtomic'] as const).map((field) => ({
      ...settled,
      [field]: 'other',
    })),
    ...(['blockNumber', 'blockHash', 'transactionId', 'logIndex'] as const).map((field) => ({
      ...used,
      position: { ...position, [field]: 'other' },
    })),
  ];
  const digests = [[], [used], [settled], [used, settled], [settled, used], ...others.map((log) => [log])].map(
    digestLogs,
  );
  expect(new Set(digests).size).toBe(digests.length);
});

test('equal logs have equal digests, whatever the order of their fields', () => {
  const { event, ...rest } = settled;
  expect(digestLogs([{ ...rest, event }])).toBe(digestLogs([settled]));
});
