import { isoTime } from '@svc-pay/core';
import { API_VERSION, type EventType } from '@svc-pay/protocol';
import type { Endpoint } from '@svc-pay/protocol/merchant';
import { ENDPOINT_COLUMNS, type EndpointRow, endpointOf } from './endpoint-row.ts';
import type { Work } from './work.ts';

const MOST_ENDPOINTS = 50;

export type NewEndpoint = {
  readonly id: string;
  readonly url: string;
  readonly eventTypes: readonly EventType[];
  readonly retryCount: number;
  readonly timeoutSeconds: number;
  readonly headerNames: readonly string[];
  readonly headersCiphertext: Uint8Array | null;
  readonly secretCiphertext: Uint8Array;
};

/** Undefined when the account has as many as it may have in this mode. */
export async function createEndpoint(work: Work, made: NewEndpoint): Promise<Endpoint | undefined> {
  const { accountId, mode } = work.caller;
  // Two that are made at once would each see room for one.
  await work.client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`endpoints ${accountId} ${mode}`]);
  const { rows } = await work.client.query<EndpointRow>(
    `insert into svc.endpoints (
       account_id, mode, id, url, event_types, retry_count, timeout_seconds, header_names, headers_ciphertext,
       secret_ciphertext, status, api_version, created_at, updated_at
     )
     select $1::text, $2::text, $3, $4, $5::text[], $6::integer, $7::integer, $8::text[], $9::bytea, $10::bytea, 'enabled', $11,
       $12::timestamptz, $12::timestamptz
     where (
       select count(*) from svc.endpoints where account_id = $1::text and mode = $2::text and status <> 'deleted'
     ) < ${MOST_ENDPOINTS}
     returning ${ENDPOINT_COLUMNS}`,
    [
      accountId,
      mode,
      made.id,
      made.url,
      made.eventTypes,
      made.retryCount,
      made.timeoutSeconds,
      made.headerNames,
      made.headersCiphertext,
      made.secretCiphertext,
      API_VERSION,
      isoTime(work.nowMs),
    ],
  );
  if (rows[0] === undefined) return undefined;
  // A path may hold a token of the merchant's; the host says enough.
  const detail = { host: new URL(made.url).host, eventTypes: made.eventTypes };
  await work.audit('endpoint.created', made.id, detail);
  return endpointOf(rows[0], work.nowMs);
}
