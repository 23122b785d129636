import type { Delivery, DeliveryAttempt } from '@svc-pay/protocol/merchant';

export const DELIVERY_COLUMNS = `event_id, endpoint_id, status, attempt_count,
  case when lease_until is null then nullif(next_at, 'infinity') end as next_at, reason, created_at, finished_at`;

export type DeliveryRow = {
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly status: Delivery['status'];
  readonly attempt_count: number;
  readonly next_at: Date | null;
  readonly reason: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
};

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    status: row.status,
    attemptCount: row.attempt_count,
    nextAt: row.next_at?.toISOString() ?? null,
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}

export type AttemptRow = {
  readonly endpoint_id: string;
  readonly attempt: number;
  readonly outcome: DeliveryAttempt['outcome'];
  readonly response_status: number | null;
  readonly address: string | null;
  readonly dns_ms: number | null;
  readonly connect_ms: number | null;
  readonly tls_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly total_ms: number;
  readonly request_headers: Record<string, string>;
  readonly response_headers: Record<string, string>;
  readonly response_excerpt: Buffer | null;
  readonly error: string | null;
  readonly started_at: Date;
  readonly next_at: Date | null;
};

export function attemptOf(row: AttemptRow): DeliveryAttempt {
  return {
    attempt: row.attempt,
    outcome: row.outcome,
    responseStatus: row.response_status,
    address: row.address,
    dnsMs: row.dns_ms,
    connectMs: row.connect_ms,
    tlsMs: row.tls_ms,
    firstByteMs: row.first_byte_ms,
    totalMs: row.total_ms,
    requestHeaders: row.request_headers,
    responseHeaders: row.response_headers,
    // The excerpt is untrusted bytes: invalid UTF-8 is replaced.
    responseExcerpt: row.response_excerpt?.toString('utf8') ?? null,
    error: row.error,
    startedAt: row.started_at.toISOString(),
    nextAt: row.next_at?.toISOString() ?? null,
  };
}
