import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { claimKey } from './claim-key.ts';

const authorization = {
  network: evmNetwork(8_453),
  asset: `0x${'aB'.repeat(20)}`,
  payer: `0x${'cD'.repeat(20)}`,
  uniquePart: `0x${'eF'.repeat(32)}`,
};
const hex = (change: Partial<typeof authorization> = {}) =>
  Buffer.from(claimKey({ ...authorization, ...change })).toString('hex');

test('one authorization has one key, however it is spelled', () => {
  const lower = Object.fromEntries(Object.entries(authorization).map(([name, text]) => [name, text.toLowerCase()]));
  expect(hex(lower)).toBe(hex());
  expect(hex()).toHaveLength(64);
});

test('every part counts', () => {
  const keys = [
    hex(),
    hex({ network: evmNetwork(1) }),
    hex({ asset: authorization.payer }),
    hex({ payer: authorization.asset }),
    hex({ uniquePart: `0x${'00'.repeat(32)}` }),
    hex({ asset: authorization.payer, payer: authorization.asset }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});
