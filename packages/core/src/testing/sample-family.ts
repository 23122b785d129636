// A chain family that accepts everything, which tests change for their case.
import { settlesUpto } from '../intent/offer.ts';
import type { PaymentFamily } from '../settlement/payment-family.ts';

export function sampleFamily(change: Partial<PaymentFamily> = {}): PaymentFamily {
  return {
    owns: () => true,
    carriesUpto: ({ signing }, { processorVersion }) =>
      signing === 'TransferWithAuthorization' && settlesUpto(processorVersion),
    acceptanceTerms: async ({ offer, maxTimeoutSeconds }) => ({
      payTo: offer.setup.processor,
      maxTimeoutSeconds,
      extra: {},
    }),
    uniquePartOf: ({ header }) => header.payload.authorization.nonce,
    verifyAuthorization: async ({ header }) => ({
      ok: true,
      signed: { kind: 'transfer_with_authorization', byContract: false, ...header.payload },
    }),
    ...change,
  };
}
