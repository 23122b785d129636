import { endpointOffAtMs, isoTime, type Mode } from '@svc-pay/core';
import type { EventType } from '@svc-pay/protocol';
import { type Endpoint, HEADER_MASK } from '@svc-pay/protocol/merchant';

/** Does not include the ciphertexts of headers and secrets. */
export const ENDPOINT_COLUMNS = `id, url, event_types, retry_count, timeout_seconds, header_names, status, disabled_reason,
  failing_since, previous_secret_expires_at, created_at, updated_at, api_version, mode`;

export type EndpointRow = {
  readonly id: string;
  readonly url: string;
  readonly event_types: EventType[];
  readonly retry_count: number;
  readonly timeout_seconds: number;
  readonly header_names: readonly string[];
  readonly status: 'enabled' | 'disabled';
  readonly disabled_reason: string | null;
  readonly failing_since: Date | null;
  readonly previous_secret_expires_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly api_version: string;
  readonly mode: Mode;
};

export function endpointOf(row: EndpointRow, nowMs: number): Endpoint {
  const failingSinceMs = row.status === 'enabled' ? (row.failing_since?.getTime() ?? null) : null;
  const previousUntilMs = row.previous_secret_expires_at?.getTime() ?? 0;
  return {
    id: row.id,
    url: row.url,
    eventTypes: row.event_types,
    retryCount: row.retry_count,
    timeoutSeconds: row.timeout_seconds,
    headers: Object.fromEntries(row.header_names.map((name) => [name, HEADER_MASK])),
    status: row.status,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since?.toISOString() ?? null,
    disablesAt: failingSinceMs === null ? null : isoTime(endpointOffAtMs(failingSinceMs)),
    previousSecretExpiresAt: previousUntilMs > nowMs ? isoTime(previousUntilMs) : null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    apiVersion: row.api_version,
    mode: row.mode,
  };
}
