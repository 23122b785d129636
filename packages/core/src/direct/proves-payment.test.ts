import { expect, test } from 'vitest';
import { provesPayment } from './proves-payment.ts';

const [PAYER, WALLET, OTHER] = ['aa', 'BB', 'cc'].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const signed = { payer: PAYER, wallet: WALLET, amountAtomic: 100n };
const transfer = { logIndex: 4, from: PAYER, to: WALLET.toLowerCase(), valueAtomic: 100n };

test.each([
  ['the exact transfer, in any letter case', transfer, true],
  ['no transfer behind the use', undefined, false],
  ['another payer', { ...transfer, from: OTHER }, false],
  ['another recipient', { ...transfer, to: OTHER }, false],
  ['less, as a token sends that keeps a fee', { ...transfer, valueAtomic: 99n }, false],
  ['more', { ...transfer, valueAtomic: 101n }, false],
])('%s', (_, found, proves) => {
  expect(provesPayment(signed, found)).toBe(proves);
});
