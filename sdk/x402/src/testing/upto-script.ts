// Answers of the up-to routes, for the double of the service.
import { ASSET, type Script, TRANSACTION } from './fake-facilitator.ts';

const intent = {
  id: 'pi_1',
  accountId: 'acct_1',
  amount: '1000000',
  ledgerCanisterId: ASSET,
  description: null,
  expectedSenderPrincipal: null,
  status: 'requires_payment',
  intentCode: 7,
  metadata: {},
  createdAt: '2026-11-15T10:00:00.000Z',
  x402_upto: true,
  confirmations: 1,
  expiresAt: null,
};
const acceptance = {
  scheme: 'upto',
  network: 'eip155:84532',
  maxAmountRequired: '1000000',
  payTo: `0x${'44'.repeat(20)}`,
  maxTimeoutSeconds: 300,
  asset: ASSET,
  extra: { intentId: 'pi_1', name: 'USDC', eip3009Version: '2', primaryType: 'TransferWithAuthorization' },
};

export const CREATE = '/sdk/public/payments/intents/x402';
export const CONFIRM = '/sdk/public/payments/intents/x402/upto/confirm';
export const SETTLE = '/sdk/payments/x402/upto/settle';
export const RELEASE = '/sdk/payments/x402/upto/release';

export const confirmed = (alreadyConfirmed = false) => ({
  body: { ok: true, alreadyConfirmed, status: 'requires_payment', paymentIntent: intent, expiresAt: null },
});
export const settledAs = (status: string) => ({
  body: {
    ok: true,
    status,
    intentStatus: 'processing',
    paymentIntent: intent,
    payment: null,
    transactionId: TRANSACTION,
    settledAmount: '370000',
    capAmount: '1000000',
    refundAmount: '630000',
    platformFeeAmount: '0',
    externalCostAmount: '0',
  },
});
export const UPTO_SCRIPT: Script = {
  [CREATE]: [
    {
      status: 402,
      body: { x402Version: 2, paymentIntentId: 'pi_1', rpcChainId: '84532', accepts: [acceptance], error: '' },
    },
  ],
  [CONFIRM]: [confirmed()],
  [SETTLE]: [settledAs('succeeded')],
  [RELEASE]: [{ body: { paymentIntentId: 'pi_1', paymentIntent: { ...intent, status: 'canceled' }, payment: null } }],
};
