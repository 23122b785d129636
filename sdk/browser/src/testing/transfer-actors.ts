// Actors of a payment on the Internet Computer: what the service offers.
import { type Answer, INTENT_ID } from './fake-service.ts';
import { INTENT_CODE } from './regular-actors.ts';

export const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
export const MERCHANT = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';

export const transferOption = (more: object = {}) => ({
  kind: 'icrc1_transfer' as const,
  network: 'icp:local',
  token: LEDGER,
  tokenShortcode: 'iclocal_ckusdc',
  decimals: 6,
  amount: '12500000',
  expiresAt: '2031-01-01T00:00:00.000Z',
  ledgerCanisterId: LEDGER,
  to: { owner: MERCHANT, subaccount: null, text: MERCHANT },
  memo: `0x${Buffer.from(`svc:${INTENT_CODE}`).toString('hex')}`,
  createdAtTime: '1700000000000000000',
  fee: '10000',
  ...more,
});

/** What the service says of an intent that no X402 pays. */
export const withoutX402: Answer = {
  status: 200,
  body: {
    status: 'failed',
    fallbackSuggested: true,
    error: 'x402_not_available_for_token',
    message: 'A sentence.',
    paymentIntentId: INTENT_ID,
    accepts: [],
    regular: [transferOption()],
  },
};
