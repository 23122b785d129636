import { isoTime } from '@svc-pay/core';
import { API_VERSION, type EventType } from '@svc-pay/protocol';
import type { Endpoint } from '@svc-pay/protocol/merchant';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import type { MerchantWork } from '../idempotency/merchant-write.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, endpointOf } from './endpoint-row.ts';

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

const ENDPOINT = namedParameters({
  account_id: 'text',
  mode: 'text',
  id: 'text',
  url: 'text',
  event_types: 'text[]',
  retry_count: 'integer',
  timeout_seconds: 'integer',
  header_names: 'text[]',
  headers_ciphertext: 'bytea',
  secret_ciphertext: 'bytea',
  api_version: 'text',
  created_at: 'timestamptz',
});
const { account_id, mode: inMode, created_at } = ENDPOINT.at;
const INSERT = `
  ${insertText(
    'svc.endpoints',
    { ...ENDPOINT.at, status: `'enabled'`, updated_at: created_at },
    `where (
       select count(*) from svc.endpoints where account_id = ${account_id} and mode = ${inMode} and status <> 'deleted'
     ) < ${MOST_ENDPOINTS}`,
  )}
  returning ${ENDPOINT_COLUMNS}`;

/** Undefined when the account already has `MOST_ENDPOINTS` in this mode. */
export async function createEndpoint(work: MerchantWork, made: NewEndpoint): Promise<Endpoint | undefined> {
  const { accountId, mode } = work.caller;
  // Without the lock two concurrent requests could both take the last free slot.
  await work.client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`endpoints ${accountId} ${mode}`]);
  const { rows } = await work.client.query<EndpointRow>(
    INSERT,
    ENDPOINT.values({
      account_id: accountId,
      mode,
      id: made.id,
      url: made.url,
      event_types: made.eventTypes,
      retry_count: made.retryCount,
      timeout_seconds: made.timeoutSeconds,
      header_names: made.headerNames,
      headers_ciphertext: made.headersCiphertext,
      secret_ciphertext: made.secretCiphertext,
      api_version: API_VERSION,
      created_at: isoTime(work.nowMs),
    }),
  );
  if (rows[0] === undefined) return undefined;
  // The path may contain a token of the merchant, so the audit entry names only the host.
  const detail = { host: new URL(made.url).host, eventTypes: made.eventTypes };
  await work.audit('endpoint.created', made.id, detail);
  return endpointOf(rows[0], work.nowMs);
}
