// Payments on Solana, for the API: it offers, prepares and verifies; settlement has the relayer's key. An unavailable
// chain becomes a refusal and is reported.
import {
  type AcceptanceTerms,
  ChainUnavailable,
  type Clock,
  type HeaderContext,
  type OfferedPayment,
  type PaymentFamily,
  type StockTransfer,
  type StoredAcceptance,
  type StoredPayout,
  type TransferStores,
  type TransferToPrepare,
} from '@svc-pay/core';
import { type AcceptanceExtra, familyOf, type NetworkId } from '@svc-pay/protocol';
import { prepareMessage } from '../prepare/prepare-message.ts';
import { prepareTransfer } from '../prepare/prepare-transfer.ts';
import { referenceOf } from '../reference/reference-key.ts';
import { requestTransfer } from '../reference/request-transfer.ts';
import { solanaPayOption } from '../reference/solana-pay-option.ts';
import { type ClusterSettingsByNetwork, openClusters } from '../transfer/open-clusters.ts';
import { memoOf } from '../transfer/transfer-terms.ts';
import { verifyMessage } from './verify-message.ts';
import { submittedIn } from './verify-signed.ts';
import { verifyTransfer } from './verify-transfer.ts';

export type SolanaPaymentOptions = {
  readonly stores: TransferStores;
  readonly clusters: ClusterSettingsByNetwork;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** The id of this installation, from which reference keys are derived. */
  readonly installation: () => Promise<string>;
  readonly onProblem: (network: NetworkId, problem: unknown) => void;
};

/** Expected validity of a prepared transaction: its blockhash lives for 150 blocks of 0.4 s. */
const PREPARED_SECONDS = 60;
/** Reported a little shorter, so that nobody signs a transaction that is about to expire. */
const REPORTED_MS = 55_000;

export function createSolanaPayments(options: SolanaPaymentOptions): PaymentFamily {
  const { stores, clock, onProblem } = options;
  const clusters = openClusters(options.clusters, options.timeoutMs);
  const orUnavailable = async <Answer>(network: NetworkId, work: () => Promise<Answer>) => {
    try {
      return await work();
    } catch (problem) {
      if (!(problem instanceof ChainUnavailable)) throw problem;
      onProblem(network, problem);
      return { ok: false, code: 'chain_unavailable' } as const;
    }
  };
  const prepare = (wanted: TransferToPrepare) => {
    const { network } = wanted.acceptance;
    return orUnavailable(network, () => prepareTransfer(stores, clusters.get(network), wanted));
  };

  /**
   * The transaction for a known payer; without it, when it can't be prepared now, what a client builds its own from. The memo
   * is what a stock client needs: where others get a share it is left out, so that none signs what can't be taken.
   */
  async function transferExtra({ caller, intent, offer, position }: OfferedPayment): Promise<AcceptanceExtra> {
    const { token, amount, payout } = offer;
    const { network } = token;
    const { id: intentId } = intent;
    const payer = intent.payerPublicKey ?? intent.expectedSender;
    const acceptance = { position, network, token, amount, payTo: payout.merchant, payoutId: payout.payoutId };
    const made = payer === null ? undefined : await prepare({ caller, intentId, acceptance, payer });
    if (made?.ok === true) return made.extra;
    const feePayer = await stores.chooseRelayer(caller, network, intentId);
    if (feePayer === undefined) return {};
    return soleRecipient(payout) === undefined ? { feePayer } : { feePayer, memo: memoOf(intentId) };
  }

  async function stockTransfer(
    { caller, intentId }: HeaderContext,
    { network, payTo, payoutId }: Pick<StoredAcceptance, 'network' | 'payTo' | 'payoutId'>,
  ): Promise<StockTransfer | undefined> {
    const feeRecipient = clusters.get(network)?.feeAccount;
    if (feeRecipient === undefined) return undefined;
    const [payout, feePayer] = await Promise.all([
      stores.loadStoredPayout(caller, { network, payoutId, merchant: payTo, feeRecipient }),
      stores.chooseRelayer(caller, network, intentId),
    ]);
    if (payout === undefined || soleRecipient(payout) !== payTo) return undefined;
    return feePayer === undefined ? undefined : { feePayer, memo: memoOf(intentId) };
  }

  return {
    owns: (network) => familyOf(network) === 'solana',
    carriesUpto: () => false,
    regular: { payToOf: ({ payout }) => payout.merchant, optionOf: solanaPayOption },
    acceptanceTerms: async (offered): Promise<AcceptanceTerms> => {
      const { offer, rpcUrlPublic } = offered;
      const extra = { ...(rpcUrlPublic !== undefined && { rpcUrlPublic }), ...(await transferExtra(offered)) };
      return { payTo: offer.payout.merchant, maxTimeoutSeconds: PREPARED_SECONDS, extra };
    },
    // The nonce that the service wrote into the text.
    uniquePartOf: ({ header }) => header.payload.authorization.nonce,
    verifyAuthorization: (terms, context) => {
      const { network } = terms.acceptance;
      return orUnavailable(network, () => verifyMessage(stores, clusters.get(network), terms, context));
    },
    transactions: {
      read: (transaction) => {
        const submitted = submittedIn(transaction);
        return submitted && { payer: submitted.payer, messageHash: submitted.messageHash };
      },
      verify: (submitted) => {
        const [acceptance] = submitted.acceptances;
        if (acceptance === undefined)
          throw new Error(`intent ${submitted.intentId} offers nothing that a Solana transaction could pay`);
        return orUnavailable(acceptance.network, () => verifyTransfer(stores, clusters, submitted, clock));
      },
      prepare: async (wanted) => {
        const made = await prepare(wanted);
        return made.ok ? { ok: true, prepared: made.prepared, expiresAtMs: clock.nowMs() + REPORTED_MS } : made;
      },
      request: (wanted) => {
        const { network } = wanted.acceptance;
        return orUnavailable(network, async () =>
          requestTransfer(
            stores,
            clusters.get(network),
            wanted,
            referenceOf(await options.installation(), wanted.intentId),
          ),
        );
      },
      prepareText: (wanted) => {
        const { network } = wanted.acceptance;
        return orUnavailable(network, () => prepareMessage(stores, clusters.get(network), wanted, clock));
      },
      feePayer: (caller, network) => stores.chooseRelayer(caller, network, caller.accountId),
      soleRecipient,
      stockTransfer,
    },
  };
}

/** A stock client signs one transfer of the whole amount to `payTo`. */
function soleRecipient({ merchant, feeBps, splits }: Omit<StoredPayout, 'feeRecipient'>): string | undefined {
  return feeBps === 0 && splits.length === 0 ? merchant : undefined;
}
