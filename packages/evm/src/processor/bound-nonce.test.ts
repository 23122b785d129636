import { stringToHex } from 'viem';
import { expect, test } from 'vitest';
import { type BoundTerms, boundNonce } from './bound-nonce.ts';

const terms: BoundTerms = {
  chainId: 8453n,
  processor: '0x1000000000000000000000000000000000000001',
  token: '0x2000000000000000000000000000000000000002',
  payoutId: 7n,
  merchant: '0x3000000000000000000000000000000000000003',
  feeBps: 50,
  splits: [{ to: '0x4000000000000000000000000000000000000004', bps: 100 }],
  intentCode: 12n,
  attempt: 0x1234,
};

test('the nonce is tag, attempt and commitment', () => {
  expect(boundNonce(terms)).toMatch(new RegExp(`^${stringToHex('svcpay')}1234[0-9a-f]{48}$`));
});

test('every term changes the commitment', () => {
  const changes: Partial<BoundTerms>[] = [
    { chainId: 1n },
    { processor: terms.token },
    { token: terms.processor },
    { payoutId: 8n },
    { merchant: terms.token },
    { feeBps: 51 },
    { splits: [] },
    { intentCode: 13n },
    { attempt: 0x1235 },
  ];
  const nonces = changes.map((change) => boundNonce({ ...terms, ...change }));
  expect(new Set([boundNonce(terms), ...nonces]).size).toBe(changes.length + 1);
});
