import { atomicAmount, parseRate } from '@svc-pay/money';
import type { EvmPaymentHeader } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { PayoutActivation } from '../payout/activation.ts';
import { TOKENS } from '../token/catalogue.ts';
import { matchAcceptance } from './match-acceptance.ts';
import type { StoredAcceptance } from './stored-acceptance.ts';

const token = TOKENS.find(({ shortcode }) => shortcode === 'basesepolia_usdc')!;
const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'test', observedAtMs: 0 });
if (!rate.ok) throw new Error(rate.code);
/** An acceptance that pays the token's own contract: tokens sent there are lost. */
const toTheToken: StoredAcceptance = {
  position: 0,
  scheme: 'exact',
  network: token.network,
  token,
  payTo: token.address,
  amount: atomicAmount(1_500_000n),
  payoutId: 1n,
  maxTimeoutSeconds: 300,
  confirmations: 1,
  rate: rate.rate,
  minimumUsdMicros: null,
  priceEndsAtMs: null,
};
const headerTo = (to: string): EvmPaymentHeader => ({
  x402Version: 1,
  scheme: 'exact',
  network: token.network,
  payload: {
    authorization: {
      from: `0x${'aa'.repeat(20)}`,
      to,
      value: '1500000',
      validAfter: '0',
      validBefore: '1',
      nonce: `0x${'01'.repeat(32)}`,
    },
    signature: `0x${'02'.repeat(65)}`,
  },
});

test.each([token.address, token.address.toLowerCase()])(
  'a payment to the token itself (%s) is refused even where that was offered',
  (to) => {
    const refusal = { ok: false, code: 'recipient_mismatch' };
    expect(matchAcceptance([toTheToken], headerTo(to), null)).toEqual(refusal);
    const { scheme, network, payTo, amount } = toTheToken;
    const echo = { scheme, network, payTo, maxAmountRequired: amount.toString() };
    expect(matchAcceptance([toTheToken], headerTo(to), echo)).toEqual(refusal);
  },
);

test('a wallet does not pay itself', () => {
  const wallet = `0x${'aa'.repeat(20)}`;
  const toWallet = { ...toTheToken, payTo: wallet, direct: {} as PayoutActivation };
  expect(matchAcceptance([toWallet], headerTo(wallet), null)).toEqual({ ok: false, code: 'recipient_mismatch' });
});
