// Decides what becomes of a stranded transfer after its transaction was refused, mined, final, or removed by a reorg.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { judgeProcessorItem } from '../lane/judge-item.ts';
import type { LaneItem } from '../lane/lane.ts';
import type { MinedItem } from '../lane/lane-chain.ts';
import type { UnsentItem } from '../lane/lane-store.ts';
import type { StrandedStatus } from './stranded-transitions.ts';

/** A stranded transfer that a batch carries, as recorded. */
export type StrandedRecord = Pick<LaneItem, 'accountId' | 'mode' | 'paymentId'> & {
  readonly status: StrandedStatus;
  /** The outcome that brought the transfer to its status; null if there was none, or it settled. */
  readonly reason: string | null;
};

export type MinedTransferVerdict =
  /** The transfer completed its payment or was returned to the payer: `books` says which entries are written. */
  | { readonly status: 'done'; readonly reason: null; readonly books: 'completion' | 'return' }
  /** `mined` waits until the block is final. `blocked` waits for a person. */
  | { readonly status: 'mined' | 'blocked'; readonly reason: string };

/**
 * A wallet can pass every simulation and burn the gas of every transaction: a second revert in a row blocks the
 * transfer. `reason` is the one recorded before.
 */
export function judgeMinedTransfer(
  { strandedTransfer }: Pick<LaneItem, 'strandedTransfer'>,
  { outcome }: Pick<MinedItem, 'outcome'>,
  reason: string | null,
): MinedTransferVerdict {
  if (outcome === 'settled')
    return { status: 'done', reason: null, books: strandedTransfer?.action === 'return' ? 'return' : 'completion' };
  const isSecondRevert = outcome === 'reverted' && reason === 'reverted';
  return { status: isSecondRevert ? 'blocked' : 'mined', reason: outcome };
}

export type RefusedTransferVerdict =
  /** The payment fails with this code, and its money goes back to the payer. */
  { readonly end: 'return'; readonly code: ErrorCode } | { readonly end: 'blocked'; readonly reason: string };

/**
 * Of a transfer that the processor refuses for good. One that cannot complete its payment is returned to the payer; one
 * that cannot be returned either is blocked until a person looks at it.
 */
export function judgeRefusedTransfer(
  { strandedTransfer }: Pick<LaneItem, 'strandedTransfer'>,
  outcome: UnsentItem['outcome'],
): RefusedTransferVerdict {
  const code = strandedTransfer?.action === 'settle' ? failureCodeOf(outcome) : undefined;
  return code === undefined ? { end: 'blocked', reason: outcome } : { end: 'return', code };
}

/** Outcomes that refuse the payment's terms; any other refuses the authorization itself, also for a return. */
const REFUSES_TERMS: ReadonlySet<UnsentItem['outcome']> = new Set([
  'payout_inactive',
  'amount_out_of_range',
  'nonce_not_bound',
]);

function failureCodeOf(outcome: UnsentItem['outcome']): ErrorCode | undefined {
  if (outcome === 'intent_already_settled') return 'intent_not_payable';
  if (!REFUSES_TERMS.has(outcome)) return undefined;
  const judgement = judgeProcessorItem(outcome);
  return judgement.end === 'failed' ? judgement.code : undefined;
}

/** Move of the transfers of a batch whose block is final: a transfer that the transaction did not settle goes again. */
export const TRANSFERS_WHEN_FINAL = { from: 'mined', to: 'queued' } as const;

/**
 * Whether a transfer waits in its batch again after a reorg removed the batch's block. A transfer that reverts blocked
 * is free again with the revert; one that a simulation blocked is not.
 */
export function isBatchedAgain({ status, reason }: Pick<StrandedRecord, 'status' | 'reason'>): boolean {
  return status === 'mined' || status === 'done' || (status === 'blocked' && reason === 'reverted');
}
