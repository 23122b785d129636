import { randomBytes } from 'node:crypto';
import { endpointContext, newEndpointSecret } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { BOX, type Shop } from '../../e2e/open-shop.ts';
import { nowMs } from '../harness/clock.ts';

const EVENT_TYPES = [
  'payment.created',
  'payment.updated',
  'payment.completed',
  'payment.failed',
  'payment.cancelled',
  'payment.refunded',
];
const RETRIES = 36;

type EndpointWish = { readonly eventTypes?: readonly string[]; readonly timeoutSeconds?: number };

/** Of a merchant who wants to hear of every payment, unless told otherwise. Returns its secret. */
export async function openEndpoint(
  pool: pg.Pool,
  { accountId }: Pick<Shop, 'accountId'>,
  urlOf: (endpointId: string) => string,
  { eventTypes = EVENT_TYPES, timeoutSeconds = 1 }: EndpointWish = {},
): Promise<string> {
  const id = newId('endpoint', nowMs());
  const secret = newEndpointSecret(randomBytes);
  await pool.query(
    `insert into svc.endpoints (
       account_id, mode, id, url, event_types, retry_count, timeout_seconds, status, api_version, created_at, updated_at,
       secret_ciphertext
     ) values ($1, 'test', $2, $3, $4, ${RETRIES}, $6, 'enabled', '2026-11-15', now(), now(), $5)`,
    [
      accountId,
      id,
      urlOf(id),
      eventTypes,
      BOX.seal(secret, endpointContext(accountId, id, 'endpoint-secret')),
      timeoutSeconds,
    ],
  );
  return secret;
}
