// Ports of refunds to a chain: what the API asks before a merchant signs and when the signature comes, and what the watch of
// refunds asks at finality. Calls throw `ChainUnavailable` when the chain can't be reached: then nothing is known.
import type { NetworkId } from '@svc-pay/protocol';
import type { TokenEntry } from '../token/token-entry.ts';
import type { PageLimits } from '../watch/page-limits.ts';
import type { OpenRefund } from './refund-store.ts';

/** A transfer of the token from the merchant's wallet, by an authorization that the wallet signs. */
export type RefundTransfer = {
  readonly token: TokenEntry;
  /** Signs, and pays. */
  readonly wallet: string;
  readonly recipient: string;
  readonly amountAtomic: bigint;
  /** 0x-hex, 32 bytes. */
  readonly nonce: string;
};

export type RefundFacts = {
  /** The recipient's account has code on this chain now. */
  readonly recipientHasCode: boolean;
  /** The wallet's nonce is used, or canceled: what was signed under it can move nothing more. */
  readonly nonceUsed: boolean;
  /** Whether the token would move the amount from the wallet to the recipient in the latest block. */
  readonly transfer: 'passes' | 'insufficient_funds' | 'refused';
};

export type SignedRefundTransfer = RefundTransfer & {
  readonly validAfterSeconds: bigint;
  readonly validBeforeSeconds: bigint;
  /** 0x-hex, as the wallet gave it. */
  readonly signature: string;
};

export type RefundVerdict =
  | { readonly ok: true; readonly byContract: boolean }
  | { readonly ok: false; readonly code: 'invalid_signature' | 'nonce_used' | 'insufficient_funds' | 'refused' };

/** Refunds by a signed authorization, as the API asks the chain about them. */
export type RefundQuestions = {
  readonly owns: (network: NetworkId) => boolean;
  readonly hasCode: (network: NetworkId, address: string) => Promise<boolean>;
  /** The first of the nonces that the token has as used or canceled; undefined when there is none. */
  readonly findUsedNonce: <Nonce extends { readonly wallet: string; readonly nonce: string }>(
    token: TokenEntry,
    nonces: readonly Nonce[],
  ) => Promise<Nonce | undefined>;
  readonly readRefundFacts: (transfer: RefundTransfer) => Promise<RefundFacts>;
  /** Whether the wallet signed exactly this transfer, by its key or its own code, and the token would carry it out now. */
  readonly verifyRefund: (transfer: SignedRefundTransfer) => Promise<RefundVerdict>;
};

/** What a final block shows of an open refund. */
export type RefundOutcome =
  /** Nothing is decided: it may still happen, it is not final, or the nodes contradict each other. */
  | { readonly outcome: 'open' }
  /** The token's transfer of the refund. `amountAtomic` and `recipient` are the log's own. */
  | {
      readonly outcome: 'transferred';
      readonly transactionId: string;
      readonly logIndex: number;
      readonly wallet: string;
      readonly recipient: string;
      readonly amountAtomic: bigint;
      readonly blockNumber: bigint;
    }
  /** It can move no money any more, or the reported transfer proves nothing. */
  | { readonly outcome: 'void'; readonly reason: VoidRefund };

/**
 * `expired`: unused in a final block past its last second. `canceled`: the nonce was used without the money reaching the
 * recipient. `not_found`: no node knows the reported transaction after an hour, or after a day final blocks do not tell
 * what it is, or show no refund that was found. `reverted`, `no_transfer`, `ambiguous`: what the reported transaction is,
 * or that it has several such transfers.
 */
export type VoidRefund = 'expired' | 'canceled' | 'not_found' | 'reverted' | 'no_transfer' | 'ambiguous';

/** Refunds as the watch asks the chain about them. */
export type RefundChain = {
  readonly network: NetworkId;
  readonly limits: { readonly refunds: PageLimits };
  /**
   * What final blocks show of open refunds, by a quorum of nodes, in the order given. Throws `ChainUnavailable` when no
   * node answers.
   */
  readonly findRefundOutcomes: (refunds: readonly OpenRefund[], nowMs: number) => Promise<readonly RefundOutcome[]>;
};
