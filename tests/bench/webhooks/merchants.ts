// Accounts with a signing key, endpoints, and events in the pace that a bench wants.
import { randomBytes } from 'node:crypto';
import { createSecretBox, endpointContext, newEndpointSecret, newKey } from '@svc-pay/core';
import { createAccount } from '@svc-pay/postgres/operator';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';

export type Merchants = {
  readonly accountId: string;
  readonly addEndpoints: (count: number, url: string) => Promise<readonly string[]>;
  /** One event for each endpoint named, in one commit. */
  readonly emit: (endpoints: readonly string[], due?: 'now' | 'later') => Promise<readonly string[]>;
  /** Everything that was emitted for later is due now. */
  readonly makeDue: () => Promise<void>;
  /** Events of the days before that have been delivered, with their deliveries and attempts. */
  readonly addOld: (count: number, endpoints: readonly string[]) => Promise<void>;
  readonly body: Buffer;
};

/** A body as long as a payment's usually is. */
const BODY = Buffer.from(JSON.stringify({ object: 'event', data: { object: { note: 'x'.repeat(900) } } }));
const LATER_MS = 3_600_000;
const PER_COMMIT = 50_000;
/** One each second, up to a minute ago. */
const ADD_OLD = `
  with drawn as materialized (
    select svc.id_bound('evt', at) || substr(md5(number::text), 1, 16) as id, at,
      ($4::text[])[1 + number % cardinality($4::text[])] as endpoint_id
    from (
      select number, now() - interval '1 minute' - number * interval '1 second' as at
      from generate_series($2::integer, $3::integer) as number
    ) numbered
  ),
  written as (
    insert into svc.events (account_id, mode, id, type, intent_id, sequence, api_version, body, created_at)
    select $1, 'test', id, 'payment.completed', id, 1, '2026-11-15', '{"object":"event"}', at from drawn
  ),
  attempted as (
    insert into svc.delivery_attempts (
      account_id, mode, event_id, endpoint_id, attempt, outcome, response_status, total_ms, started_at
    )
    select $1, 'test', id, endpoint_id, 1, 'succeeded', 200, 3, at from drawn
  )
  insert into svc.deliveries (
    account_id, mode, event_id, endpoint_id, status, attempt_count, fence, created_at, finished_at, goes_first
  )
  select $1, 'test', id, endpoint_id, 'succeeded', 1, 1, at, at, true from drawn`;

export async function openMerchants(pool: pg.Pool, masterKey: Uint8Array, nowMs: () => number): Promise<Merchants> {
  const box = createSecretBox([{ number: 1, bytes: masterKey }]);
  const accountId = newId('account', nowMs());
  const keys = (['test', 'live'] as const).map((mode) =>
    newKey({ pepper: randomBytes(32), box }, { accountId, mode }, 'secret', nowMs()),
  );
  const operation = { pool, nowMs: nowMs(), actor: 'operator:bench' };
  await createAccount(operation, { id: accountId, name: 'A shop', keys: keys.map(({ record }) => record) });
  return {
    accountId,
    addEndpoints: async (count, url) => {
      const ids = Array.from({ length: count }, () => newId('endpoint', nowMs()));
      for (const id of ids) {
        const secret = box.seal(newEndpointSecret(randomBytes), endpointContext(accountId, id, 'endpoint-secret'));
        await pool.query(
          `insert into svc.endpoints (
             account_id, mode, id, url, event_types, timeout_seconds, status, api_version, created_at, updated_at,
             secret_ciphertext
           ) values ($1, 'test', $2, $3, '{payment.completed}', 5, 'enabled', '2026-11-15', now(), now(), $4)`,
          [accountId, id, url, secret],
        );
      }
      return ids;
    },
    emit: async (endpoints, due = 'now') => {
      const atMs = nowMs();
      const ids = endpoints.map(() => newId('event', atMs));
      await pool.query({
        name: 'emit',
        text: `
          with drafted as materialized (select * from unnest($2::text[], $3::text[]) as drafted (id, endpoint_id)),
          written as (
            insert into svc.events (account_id, mode, id, type, intent_id, sequence, api_version, body, created_at)
            select $1, 'test', id, 'payment.completed', id, 1, '2026-11-15', $4, $5 from drafted
          )
          insert into svc.deliveries (
            account_id, mode, event_id, endpoint_id, status, next_at, created_at, goes_first
          )
          select $1, 'test', id, endpoint_id, 'pending', $6, $5, true from drafted`,
        values: [accountId, ids, endpoints, BODY, new Date(atMs), new Date(due === 'now' ? atMs : atMs + LATER_MS)],
      });
      return ids;
    },
    makeDue: async () => {
      await pool.query(
        `update svc.deliveries set next_at = $1
         where status = 'pending' and attempt_count = 0 and lease_until is null and next_at > $1`,
        [new Date(nowMs())],
      );
    },
    addOld: async (count, endpoints) => {
      await pool.query('select svc.ensure_partitions(1, 1)');
      for (let from = 0; from < count; from += PER_COMMIT) {
        await pool.query(ADD_OLD, [accountId, from, Math.min(from + PER_COMMIT, count) - 1, endpoints]);
      }
      for (const table of ['events', 'deliveries', 'delivery_attempts'])
        await pool.query(`vacuum analyze svc.${table}`);
    },
    body: BODY,
  };
}
