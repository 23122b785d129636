import type { EventType } from '@svc-pay/protocol';
import type { EventSummary } from '@svc-pay/protocol/merchant';

export type EmittedRow = {
  readonly id: string;
  readonly type: EventType;
  readonly intent_id: string;
  readonly payment_id: string | null;
  readonly sequence: number;
  readonly created_at: Date;
  readonly body: Buffer;
};

export type EventRow = EmittedRow & {
  readonly pending: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly discarded: number;
};

export function emittedOf(row: EmittedRow, pendingWebhooks: number) {
  return {
    id: row.id,
    type: row.type,
    paymentIntentId: row.intent_id,
    paymentId: row.payment_id,
    sequence: row.sequence,
    createdAt: row.created_at.toISOString(),
    pendingWebhooks,
    event: JSON.parse(row.body.toString('utf8')) as Record<string, unknown>,
  };
}

export function summaryOf(row: EventRow): EventSummary {
  const { pending, succeeded, failed, discarded } = row;
  return { ...emittedOf(row, pending), deliveries: { pending, succeeded, failed, discarded } };
}
