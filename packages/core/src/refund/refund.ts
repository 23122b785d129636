// A refund: the merchant's wallet gives money of a payment back. The merchant's wallet signs, a lane carries the signature
// or the merchant makes the transfer himself, and final logs decide.
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { RefundStatus } from '@svc-pay/protocol/merchant';
import { type RefundNonceTerms, refundNonce } from '@svc-pay/protocol/refund-nonce';
import type { Mode } from '../account/mode.ts';
import type { SolanaRefundTerms } from '../payment/signed-transfer.ts';

/**
 * `authorization`: an EIP-3009 signature of the wallet. `transaction`: a Solana transaction that the wallet signs and a
 * relayer pays for. `reported`: a transfer that the merchant made; no lane sends it.
 */
export const REFUND_KINDS = ['authorization', 'transaction', 'reported'] as const;
export type RefundKind = (typeof REFUND_KINDS)[number];

export type { SolanaRefundTerms };

export type ReportedTransfer = {
  readonly transactionId: string;
  /** Null: the only transfer in the transaction that fits. */
  readonly logIndex: number | null;
};

export type StoredRefund = {
  readonly id: Id<'refund'>;
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly paymentId: Id<'payment'>;
  readonly intentId: Id<'paymentIntent'>;
  readonly intentCode: bigint;
  readonly kind: RefundKind;
  readonly status: RefundStatus;
  /** Counts the signed refunds of the payment from 1; null for a reported transfer. */
  readonly sequence: number | null;
  readonly network: NetworkId;
  readonly asset: string;
  readonly tokenShortcode: string;
  /** Null while it is not known: of a reported transfer, and of a refund that was found on chain. */
  readonly amountAtomic: bigint | null;
  /** The merchant's wallet; as the chain writes it. */
  readonly wallet: string;
  readonly recipient: string;
  /** 0x-hex, 32 bytes; null for a reported transfer. */
  readonly nonce: string | null;
  readonly validAfterSeconds: bigint | null;
  /** Last second is before this; null where no time ends the refund: Solana, reported. */
  readonly validBeforeSeconds: bigint | null;
  readonly transfer: SolanaRefundTerms | null;
  readonly reported: ReportedTransfer | null;
  /** The transaction that was sent for it last, or that completed it. */
  readonly transactionId: string | null;
  readonly logIndex: number | null;
  /** Why the chain refused it last. */
  readonly refusal: ErrorCode | null;
  readonly failureCode: ErrorCode | null;
  /** The merchant's own words. */
  readonly reason: string | null;
  readonly createdAtMs: number;
  /** When a prepared refund can no longer be submitted; null for a reported transfer. */
  readonly expiresAtMs: number | null;
  readonly submittedAtMs: number | null;
  readonly completedAtMs: number | null;
};

/** A signed EVM refund is valid for this long; a prepared one can be submitted for as long. */
export const REFUND_VALIDITY_SECONDS = 3_600;
export const MAX_PREPARED_REFUNDS = 10;
export const MAX_OPEN_REFUNDS = 3;
/** A relayer pays for at most so many refunds of a payment. */
export const MAX_SIGNED_REFUNDS = 20;
/** Of what was paid, a refund that a relayer pays for is at least one in so many, or all that is left. */
export const LEAST_REFUND_PART = 100n;

/**
 * How many nonces, from the next sequence on, the chain is asked about before a refund is prepared. A restored database
 * may have lost refunds that failed, whose nonces are unused, before one that was made.
 */
export const REFUND_PROBES = 8;

export type RefundOwner = Pick<StoredRefund, 'mode' | 'network' | 'asset' | 'wallet' | 'paymentId'>;

/** Nonces of the next sequences of a payment from a wallet, the first to be prepared first. */
export function refundNonces(
  installation: string,
  { mode, network, asset, wallet, paymentId }: RefundOwner,
  nextSequence: number,
  count: number,
): readonly { readonly sequence: number; readonly nonce: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const sequence = nextSequence + index;
    const terms: RefundNonceTerms = { installation, mode, network, token: asset, wallet, paymentId, sequence };
    return { sequence, nonce: refundNonce(terms) };
  });
}

/**
 * Nonces that a lost refund of the payment may have used, by any of the wallets. A lower sequence comes first, whoever signed
 * it: once a higher one is recorded, no lower one is looked for.
 */
export function probedNonces(
  payment: Omit<RefundOwner, 'wallet'> & {
    readonly installation: string;
    readonly nextSequence: number;
    readonly wallets: readonly string[];
  },
): readonly { readonly wallet: string; readonly sequence: number; readonly nonce: string }[] {
  const { installation, nextSequence, wallets } = payment;
  return wallets
    .flatMap((wallet) =>
      refundNonces(installation, { ...payment, wallet }, nextSequence, REFUND_PROBES).map((one) => ({
        ...one,
        wallet,
      })),
    )
    .toSorted((one, other) => one.sequence - other.sequence);
}

/**
 * False for a refund whose nonce is not that of its terms: whoever can only write to the database could otherwise make
 * any signature of the wallet a refund. Settlement sends and completes no such refund.
 */
export function hasOwnNonce(
  installation: string,
  refund: RefundOwner & Pick<StoredRefund, 'nonce' | 'sequence'>,
): boolean {
  const { nonce, sequence } = refund;
  if (nonce === null || sequence === null) return false;
  return nonceOf(installation, refund, sequence) === nonce.toLowerCase();
}

/** Undefined for a row that names no wallet of its chain: no refund has such terms. */
function nonceOf(installation: string, owner: RefundOwner, sequence: number): string | undefined {
  try {
    return refundNonces(installation, owner, sequence, 1)[0]?.nonce;
  } catch {
    return undefined;
  }
}
