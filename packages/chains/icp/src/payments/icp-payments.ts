// Payments on the Internet Computer, for the API: transfers that the payer sends by himself. Nothing is signed for a relayer
// there, so that neither X402 nor an up-to payment is offered.
import { isPrincipal, type PaymentFamily, type TokenEntry } from '@svc-pay/core';
import { familyOf } from '@svc-pay/protocol';
import { icrc1TransferOption } from './icrc1-transfer-option.ts';

export type IcpPaymentOptions = {
  /** Whether settlement reads the token's ledger. */
  readonly isLedgerRead: (token: TokenEntry) => Promise<boolean>;
};

export function createIcpPayments({ isLedgerRead }: IcpPaymentOptions): PaymentFamily {
  return {
    owns: (network) => familyOf(network) === 'icp',
    carriesUpto: () => false,
    regular: {
      takesSender: isPrincipal,
      isRead: isLedgerRead,
      paysByBlock: true,
      payToOf: ({ payout }) => payout.merchant,
      optionOf: icrc1TransferOption,
    },
    acceptanceTerms: async ({ offer, maxTimeoutSeconds }) => ({
      payTo: offer.payout.merchant,
      maxTimeoutSeconds,
      extra: {},
    }),
    uniquePartOf: ({ header }) => header.payload.authorization.nonce,
    verifyAuthorization: async () => ({ ok: false, code: 'x402_not_available_for_token' }),
  };
}
