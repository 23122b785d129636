// Rows of a timeline as the statements give them, and as core takes them.
import type {
  TimelineAuthorization,
  TimelineBatch,
  TimelineBooking,
  TimelineEvent,
  TimelineOffer,
  TimelineSettlement,
  TimelineStranding,
  TimelineTransaction,
} from '@svc-pay/core';
import type { EventType, NetworkId } from '@svc-pay/protocol';
import { type AttemptRow, type DeliveryRow, deliveryOf } from '../delivery/delivery-row.ts';

const timeOf = (time: Date | null): number | null => time && time.getTime();

export type OfferRow = Pick<TimelineOffer, 'flow' | 'scheme' | 'network' | 'amount' | 'confirmations'> & {
  readonly token_shortcode: string;
  readonly pay_to: string;
};

export function offerOf({ token_shortcode: tokenShortcode, pay_to: payTo, ...offer }: OfferRow): TimelineOffer {
  return { ...offer, tokenShortcode, payTo };
}

export type AuthorizationRow = Pick<
  TimelineAuthorization,
  'kind' | 'direct' | 'network' | 'asset' | 'payer' | 'recipient' | 'cap'
> & {
  readonly claim_key: string;
  readonly valid_before: string;
  readonly closed_at: Date | null;
  readonly created_at: Date;
};

export function authorizationOf(row: AuthorizationRow): TimelineAuthorization {
  const { claim_key: claimKey, valid_before: validBefore, closed_at: closedAt, created_at: createdAt, ...rest } = row;
  return {
    ...rest,
    claimKey,
    validBeforeSeconds: Number(validBefore),
    closedAtMs: timeOf(closedAt),
    createdAtMs: createdAt.getTime(),
  };
}

export type SettlementRow = Pick<TimelineSettlement, 'status' | 'refusal'> & {
  readonly payment_id: string;
  readonly claim_key: string;
  readonly settled_amount: string;
  readonly retry_at: Date | null;
  readonly held_for_merchant: boolean;
  readonly foreign_transaction_id: string | null;
  readonly batch_id: string | null;
};

export function settlementOf(row: SettlementRow): TimelineSettlement {
  return {
    paymentId: row.payment_id,
    claimKey: row.claim_key,
    status: row.status,
    settledAmount: row.settled_amount,
    refusal: row.refusal,
    retryAtMs: timeOf(row.retry_at),
    heldForMerchant: row.held_for_merchant,
    foreignTransactionId: row.foreign_transaction_id,
  };
}

export type StrandingRow = Pick<TimelineStranding, 'network' | 'action' | 'status' | 'reason'> & {
  readonly payment_id: string | null;
  readonly stranded_transaction_id: string;
  readonly batch_id: string | null;
  readonly created_at: Date;
};

export function strandingOf(row: StrandingRow): TimelineStranding {
  const { network, action, status, reason } = row;
  return {
    paymentId: row.payment_id,
    network,
    action,
    status,
    reason,
    transactionId: row.stranded_transaction_id,
    createdAtMs: row.created_at.getTime(),
  };
}

export type BatchRow = Pick<TimelineBatch, 'id' | 'network' | 'relayer' | 'nonce' | 'status'> & {
  readonly item_count: number;
  readonly transaction_id: string;
  readonly block_number: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
};

export function batchOf(row: BatchRow): TimelineBatch {
  const { id, network, relayer, nonce, status } = row;
  return {
    id,
    network,
    relayer,
    nonce,
    itemCount: row.item_count,
    status,
    transactionId: row.transaction_id,
    blockNumber: row.block_number,
    createdAtMs: row.created_at.getTime(),
    updatedAtMs: row.updated_at.getTime(),
  };
}

export type TransactionRow = {
  readonly batch_id: string;
  readonly transaction_id: string;
  readonly created_at: Date;
};

/** In the order in which they were signed. */
export const transactionsOf = (rows: readonly TransactionRow[]): readonly TimelineTransaction[] =>
  rows
    .map(({ batch_id: batchId, transaction_id: transactionId, created_at: createdAt }) => ({
      batchId,
      transactionId,
      createdAtMs: createdAt.getTime(),
    }))
    .toSorted((one, other) => one.createdAtMs - other.createdAtMs);

export type EntryRow = Pick<TimelineBooking, 'id' | 'asset' | 'party' | 'amount' | 'reverses'> & {
  readonly payment_id: string;
  readonly network: NetworkId;
  readonly account_name: string;
  readonly transaction_id: string;
  readonly log_index: number;
  readonly created_at: Date;
};

export function bookingOf(row: EntryRow): TimelineBooking {
  const { id, network, asset, party, amount, reverses } = row;
  return {
    id,
    paymentId: row.payment_id,
    network,
    asset,
    account: row.account_name,
    party,
    amount,
    transactionId: row.transaction_id,
    logIndex: row.log_index,
    reverses,
    createdAtMs: row.created_at.getTime(),
  };
}

export type EventOfTimelineRow = {
  readonly id: string;
  readonly type: EventType;
  readonly payment_id: string | null;
  readonly created_at: Date;
};
export type TriedRow = Pick<
  AttemptRow,
  'endpoint_id' | 'attempt' | 'outcome' | 'response_status' | 'total_ms' | 'started_at' | 'next_at'
> & { readonly event_id: string };

/** Oldest first. */
export function eventsOf(
  rows: readonly EventOfTimelineRow[],
  deliveries: readonly DeliveryRow[],
  attempts: readonly TriedRow[],
): readonly TimelineEvent[] {
  const [delivered, tried] = [
    Map.groupBy(deliveries, ({ event_id }) => event_id),
    Map.groupBy(attempts, ({ event_id }) => event_id),
  ];
  return rows.toReversed().map(({ id, type, payment_id: paymentId, created_at: createdAt }) => ({
    id,
    type,
    paymentId,
    createdAtMs: createdAt.getTime(),
    deliveries: (delivered.get(id) ?? []).map((row) => {
      const { endpointId, status, attemptCount, nextAt, reason } = deliveryOf(row);
      return { endpointId, status, attemptCount, nextAt, reason };
    }),
    attempts: (tried.get(id) ?? []).map(triedOf),
  }));
}

function triedOf(row: TriedRow): TimelineEvent['attempts'][number] {
  const { attempt, outcome } = row;
  return {
    endpointId: row.endpoint_id,
    attempt,
    outcome,
    responseStatus: row.response_status,
    totalMs: row.total_ms,
    startedAtMs: row.started_at.getTime(),
    nextAt: row.next_at?.toISOString() ?? null,
  };
}
