// Decides what a final log of the token means for a direct payment that has a claim. A lane has the payment while it is in a
// batch; then the log waits for the lane.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { WalletUse } from '../payout/activation.ts';
import type { TransferLog } from '../reader/money-log.ts';
import {
  SETTLEMENT_STATUS,
  type SettlementStatus,
  type UnsentSettlement,
} from '../settlement/settlement-transitions.ts';
import { provesPayment, type SignedTransferTerms } from './proves-payment.ts';

export type ClaimedFacts = {
  /** Of its settlement; undefined when no payment settles the claim. */
  readonly settlement: SettlementStatus | undefined;
  /** False: the authorization pays a processor, whose own events and watchers decide. */
  readonly direct: boolean;
  readonly signed: SignedTransferTerms;
  readonly bound: boolean;
  /** The block at which the authorization was seen unused; null if none is stored. */
  readonly unusedAtBlock: bigint | null;
  readonly use: WalletUse;
  /** The payout is disabled, or its activation does not hold for this process. */
  readonly payoutWithdrawn: boolean;
  /** Transaction that the payment names. */
  readonly transactionId: string | null;
  /** A lane completed it in a batch that is not final: a reorg may take that back. */
  readonly provisional: boolean;
};

export type UseFacts = {
  readonly transactionId: string;
  readonly blockNumber: bigint;
  readonly transfer: TransferLog | undefined;
  /** A lane of ours signed the transaction. */
  readonly ownTransaction: boolean;
  /** The transfer proves another payment, or is stored as an unattributed receipt. */
  readonly transferTaken: boolean;
};

export type ClaimedStep =
  | { readonly step: 'complete'; readonly from: UnsentSettlement }
  | { readonly step: 'fail'; readonly from: UnsentSettlement; readonly code: ErrorCode; readonly reason: string }
  /** The merchant must say whether the transfer was for this payment: it stays held, and the receipt is stored. */
  | { readonly step: 'hold'; readonly from: UnsentSettlement; readonly reason: string }
  | { readonly step: 'recorded' }
  | { readonly step: 'unattributed'; readonly reason: string }
  | { readonly step: 'ignore'; readonly reason: string }
  /** A lane has the payment in a batch, which is not final. */
  | { readonly step: 'wait' };

const { queued, held, batched, mined, completed } = SETTLEMENT_STATUS;

export function judgeClaimedUse(claim: ClaimedFacts, use: UseFacts): ClaimedStep {
  const { settlement, bound, unusedAtBlock } = claim;
  if (!claim.direct) return { step: 'ignore', reason: 'processor_payment' };
  const proven = provesPayment(claim.signed, use.transfer);
  if (settlement === completed && claim.transactionId === use.transactionId) return { step: 'recorded' };
  // The log is final, so what a lane saw in another transaction is not: it is reversed first.
  if (settlement === batched || settlement === mined || (settlement === completed && claim.provisional))
    return { step: 'wait' };
  if (settlement !== queued && settlement !== held)
    return proven && !use.transferTaken
      ? { step: 'unattributed', reason: 'payment_has_result' }
      : { step: 'ignore', reason: 'payment_has_result' };
  const from = settlement;
  if (!proven) return { step: 'fail', from, code: 'authorization_already_used', reason: 'used_elsewhere' };
  // It bought something elsewhere. A bound nonce can buy nothing but this intent, and we send only what we claimed.
  const counts = bound || use.ownTransaction || (unusedAtBlock !== null && use.blockNumber > unusedAtBlock);
  if (!counts) return { step: 'fail', from, code: 'authorization_already_used', reason: 'used_before_claim' };
  if (use.transferTaken) return { step: 'hold', from, reason: 'transfer_taken' };
  // A lane checked the payout before it signed. Of a stranger's transfer only the merchant can say whether it was received.
  if (claim.payoutWithdrawn && !use.ownTransaction) return { step: 'hold', from, reason: 'payout_withdrawn' };
  // Others have payments signed to a shared wallet: a stranger may have submitted it to buy from them.
  if (claim.use === 'exclusive' || bound || use.ownTransaction) return { step: 'complete', from };
  return { step: 'hold', from, reason: 'shared_wallet' };
}

/** The payer canceled the authorization: it can move no money any more. */
export function judgeCancellation({ settlement, direct }: Pick<ClaimedFacts, 'settlement' | 'direct'>): ClaimedStep {
  if (!direct) return { step: 'ignore', reason: 'processor_payment' };
  if (settlement === batched || settlement === mined) return { step: 'wait' };
  if (settlement === queued || settlement === held)
    return { step: 'fail', from: settlement, code: 'authorization_already_used', reason: 'canceled' };
  return { step: 'ignore', reason: 'payment_has_result' };
}
