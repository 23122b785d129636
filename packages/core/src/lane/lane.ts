// A lane is one relayer key on one network: the only writer of that key's nonces. Payments queue per network; a lane
// takes queued payments, sends them in transactions, and records the outcome of each.
import type { NetworkId } from '@svc-pay/protocol';
import { parseNetwork } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';
import type { AuthorizationKind } from '../payment/claim-payment.ts';
import type { SignedTransfer, SolanaRefundTerms } from '../payment/signed-transfer.ts';
import type { PayoutActivation } from '../payout/activation.ts';

/** The relayer's address is normalized: in lower case on EVM. */
export type Lane = { readonly network: NetworkId; readonly relayer: string };

export const LANE_DRAIN = 'lane';

export function laneKey({ network, relayer }: Lane): string {
  return `${network}/${relayer}`;
}

export function parseLaneKey(key: string): Lane {
  const slash = key.lastIndexOf('/');
  const network = parseNetwork(key.slice(0, slash));
  if (slash < 0 || network === undefined) throw new Error(`${key} is not the key of a lane: expected network/relayer`);
  return { network, relayer: key.slice(slash + 1) };
}

/** A queued or sent payment or refund, with all that its transaction and its ledger entries need. */
export type LaneItem = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly paymentId: Id<'payment'>;
  readonly intentId: Id<'paymentIntent'>;
  readonly intentCode: bigint;
  /** Position in the queue. */
  readonly number: bigint;
  /** Most payments in one transaction with this one; set after a batch with it reverted. */
  readonly batchLimit?: number;
  readonly asset: string;
  /** Recipient of the authorization: the processor; of a direct payment, the merchant's wallet. */
  readonly processor: string;
  readonly kind: AuthorizationKind;
  /** The signature was verified by a contract wallet. */
  readonly byContract: boolean;
  /** Hash of the wallet's code, 0x-hex. Absent for a signature by key. */
  readonly codeHash?: string;
  readonly payer: string;
  readonly capAtomic: bigint;
  readonly settledAtomic: bigint;
  readonly validAfterSeconds: bigint;
  readonly validBeforeSeconds: bigint;
  /** 0x-hex, 32 bytes. */
  readonly nonce: string;
  /** 0x-hex, as submitted by the payer's wallet. */
  readonly signature: string;
  readonly payout: {
    readonly id: bigint;
    readonly merchant: string;
    readonly feeBps: number;
    readonly splits: readonly { readonly to: string; readonly bps: number }[];
    /** The chain's registry has other terms under this id: no payment uses the payout until they agree. */
    readonly withdrawn?: true;
    /** Set for a direct payment: the payer pays the merchant's wallet, and no processor takes part. */
    readonly direct?: PayoutActivation;
  };
  /** Confirmations, its own block included, before the payment is completed. */
  readonly confirmations: number;
  /** Set where the payer signed a whole transaction instead of an authorization; `signature` holds its bytes then. */
  readonly transfer?: SignedTransfer;
  /** The payment is in the solo queue because its payer's transfer recently used up its gas. */
  readonly solo?: true;
  /** The money is with the processor already: somebody else submitted the authorization. */
  readonly strandedTransfer?: StrandedTransfer;
  /**
   * The item gives money of the payment back: `payer` is the merchant's wallet, and `processor` whoever gets the money. A
   * lane only carries it: no outcome changes the payment, and a final block decides the refund.
   */
  readonly refund?: { readonly id: Id<'refund'>; readonly terms?: SolanaRefundTerms };
};

/**
 * A direct payment goes from the payer to the merchant's wallet, and no processor takes part. A refund goes the same way
 * back.
 */
export function isDirect({ payout, refund }: Pick<LaneItem, 'payout' | 'refund'>): boolean {
  return payout.direct !== undefined || refund !== undefined;
}

/** A batch carries payments, or one refund. */
export function isRefundBatch({ items }: Pick<PendingBatch, 'items'>): boolean {
  return items.some(({ refund }) => refund !== undefined);
}

/**
 * Payments with equal keys may share a transaction. A transaction is of one payout kind: through one processor, or
 * direct to any wallets; in both it moves one token. A refund shares none.
 */
export function transactionKey(item: Pick<LaneItem, 'payout' | 'processor' | 'asset' | 'refund'>): string {
  if (item.refund !== undefined) return `refund ${item.refund.id}`;
  return isDirect(item) ? `direct ${item.asset}` : `${item.processor} ${item.asset}`;
}

export type StrandedTransfer = {
  /** `settle` completes the payment with the stranded money, `return` sends all of it back. */
  readonly action: 'settle' | 'return';
  /** Transaction of the token transfer that brought the money. */
  readonly transactionId: string;
  readonly logIndex: number;
};

/** A batch without a known result, with every transaction ever signed for it. */
export type PendingBatch = {
  readonly id: string;
  readonly nonce: bigint;
  readonly status: 'signed' | 'broadcast';
  /** Time of the last broadcast; time of signing, if it was never broadcast. */
  readonly sentAtMs: number;
  readonly transactions: readonly SignedTransaction[];
  /** In transaction order. */
  readonly items: readonly LaneItem[];
  /** The transaction that its payments name; absent before the first attempt to send one is recorded. */
  readonly linkedTo?: string;
  /** Hash of the block in which the batch was seen while it waits for confirmations. */
  readonly seenIn?: string;
  /** Gas budgets that others can spend bind its payment. */
  readonly bound?: true;
};

/** The transaction that was signed last, which has the highest fee. */
export function latestTransaction({ id, transactions }: Pick<PendingBatch, 'id' | 'transactions'>): SignedTransaction {
  const latest = transactions.at(-1);
  if (latest === undefined) throw new Error(`batch ${id} has no transaction`);
  return latest;
}

export type SignedTransaction = {
  readonly transactionId: string;
  readonly raw: Uint8Array;
  /** Time of storing; absent before. */
  readonly signedAtMs?: number;
  /** The most that it may cost, in the chain's own coin; told when it is signed. */
  readonly worstCostAtomic?: bigint;
};
