// Changes that a merchant makes to a webhook endpoint. Each runs in the caller's transaction and writes an audit entry.
import { DELIVERY_STATUS, decideDisable, decideUnsendable, isoTime } from '@svc-pay/core';
import type { EventType } from '@svc-pay/protocol';
import type { Endpoint } from '@svc-pay/protocol/merchant';
import { sqlIs } from '../database/status-sql.ts';
import type { MerchantWork } from '../idempotency/merchant-write.ts';
import { enableWithin } from './enable-endpoint.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, endpointOf } from './endpoint-row.ts';

/** Only the given fields are set. */
export type EndpointFields = {
  readonly url?: string;
  readonly eventTypes?: readonly EventType[];
  readonly retryCount?: number;
  readonly timeoutSeconds?: number;
  readonly headers?: { readonly names: readonly string[]; readonly ciphertext: Uint8Array | null };
};

type Set = readonly [column: string, value: unknown];

const OWN = `account_id = $1 and mode = $2 and id = $3 and status <> 'deleted'`;

export async function updateEndpoint(
  work: MerchantWork,
  endpointId: string,
  fields: EndpointFields,
): Promise<Endpoint | undefined> {
  const sets: Set[] = [];
  if (fields.url !== undefined) sets.push(['url', fields.url]);
  if (fields.eventTypes !== undefined) sets.push(['event_types', fields.eventTypes]);
  if (fields.retryCount !== undefined) sets.push(['retry_count', fields.retryCount]);
  if (fields.timeoutSeconds !== undefined) sets.push(['timeout_seconds', fields.timeoutSeconds]);
  if (fields.headers !== undefined) {
    sets.push(['headers_ciphertext', fields.headers.ciphertext], ['header_names', fields.headers.names]);
  }
  const endpoint = await set(work, endpointId, sets);
  if (endpoint !== undefined) await work.audit('endpoint.updated', endpointId, { fields: Object.keys(fields) });
  return endpoint;
}

export async function disableEndpoint(work: MerchantWork, endpointId: string): Promise<Endpoint | undefined> {
  const before = await lock(work, endpointId);
  if (before === undefined) return undefined;
  const decision = decideDisable({
    status: before.status,
    failingSinceMs: before.failing_since?.getTime() ?? null,
  });
  if (decision === undefined) return endpointOf(before, work.nowMs);
  await work.audit('endpoint.disabled', endpointId);
  return set(work, endpointId, [
    ['status', decision.status],
    ['disabled_reason', decision.disabledReason],
  ]);
}

export async function enableEndpoint(
  work: MerchantWork,
  endpointId: string,
): Promise<{ readonly endpoint: Endpoint; readonly replayed: number } | undefined> {
  const before = await lock(work, endpointId);
  if (before === undefined) return undefined;
  const { accountId, mode } = work.caller;
  const replayed = await enableWithin(work.client, { accountId, mode, endpointId }, work.nowMs);
  if (replayed === undefined) return { endpoint: endpointOf(before, work.nowMs), replayed: 0 };
  await work.audit('endpoint.enabled', endpointId, { replayed });
  const after = await lock(work, endpointId);
  return after && { endpoint: endpointOf(after, work.nowMs), replayed };
}

/** During the overlap the previous secret signs as well as the new one. Without an overlap it is deleted. */
export async function rotateSecret(
  work: MerchantWork,
  endpointId: string,
  secretCiphertext: Uint8Array,
  overlapMs: number,
): Promise<Endpoint | undefined> {
  const until = overlapMs === 0 ? null : isoTime(work.nowMs + overlapMs);
  await work.client.query(
    `update svc.endpoints
     set previous_secret_ciphertext = case when $4::timestamptz is null then null else secret_ciphertext end,
       previous_secret_expires_at = case when secret_ciphertext is null then null else $4::timestamptz end
     where ${OWN}`,
    [...keyOf(work, endpointId), until],
  );
  const endpoint = await set(work, endpointId, [['secret_ciphertext', secretCiphertext]]);
  const detail = { overlapSeconds: Math.floor(overlapMs / 1_000) };
  if (endpoint !== undefined) await work.audit('endpoint.secret_rotated', endpointId, detail);
  return endpoint;
}

/** Leased deliveries may still arrive, but are not tried again. */
export async function deleteEndpoint(work: MerchantWork, endpointId: string): Promise<boolean> {
  if ((await lock(work, endpointId)) === undefined) return false;
  const key = keyOf(work, endpointId);
  const now = isoTime(work.nowMs);
  await work.client.query(
    `update svc.endpoints
     set status = 'deleted', disabled_reason = null, failing_since = null, updated_at = $4, header_names = '{}',
       headers_ciphertext = null, secret_ciphertext = null, previous_secret_ciphertext = null,
       previous_secret_expires_at = null
     where account_id = $1 and mode = $2 and id = $3`,
    [...key, now],
  );
  const discarded = decideUnsendable('deleted');
  const { rowCount } = await work.client.query(
    `update svc.deliveries
     set status = $5, next_at = null, finished_at = $4, reason = $6, fence = fence + 1
     where status ${sqlIs(DELIVERY_STATUS.pending)} and endpoint_id = $3 and account_id = $1 and mode = $2 and lease_until is null`,
    [...key, now, discarded.status, discarded.reason],
  );
  await work.audit('endpoint.deleted', endpointId, { discarded: rowCount ?? 0 });
  return true;
}

const keyOf = ({ caller }: MerchantWork, endpointId: string) => [caller.accountId, caller.mode, endpointId];

async function lock(work: MerchantWork, endpointId: string): Promise<EndpointRow | undefined> {
  const { rows } = await work.client.query<EndpointRow>(
    `select ${ENDPOINT_COLUMNS} from svc.endpoints where ${OWN} for no key update`,
    keyOf(work, endpointId),
  );
  return rows[0];
}

async function set(work: MerchantWork, endpointId: string, sets: readonly Set[]): Promise<Endpoint | undefined> {
  const assignments = sets.map(([column], index) => `, ${column} = $${index + 5}`).join('');
  const { rows } = await work.client.query<EndpointRow>(
    `update svc.endpoints set updated_at = $4${assignments} where ${OWN} returning ${ENDPOINT_COLUMNS}`,
    [...keyOf(work, endpointId), isoTime(work.nowMs), ...sets.map(([, value]) => value)],
  );
  return rows[0] && endpointOf(rows[0], work.nowMs);
}
