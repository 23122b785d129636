// An account with endpoints, and events of its intents in a steady stream. What it emitted is noted once the database has
// acknowledged it.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecretBox, endpointContext, newEndpointSecret, newKey } from '@svc-pay/core';
import { createAccount } from '@svc-pay/postgres/operator';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { nowMs } from '../harness/clock.ts';
import type { Dice } from '../harness/dice.ts';
import type { History } from '../harness/history.ts';

export type MerchantPlan = {
  readonly pool: pg.Pool;
  readonly masterKey: Uint8Array;
  readonly dice: Dice;
  readonly history: History;
  readonly urlOf: (endpointId: string) => string;
};

export type Merchant = {
  readonly secretKey: string;
  /** One event each of some intents, in one commit. Tries until the database has it. Returns how many deliveries that makes. */
  readonly emit: (events: number) => Promise<number>;
};

type OpenIntent = { readonly id: string; readonly endpoints: readonly string[]; sequence: number };

const ENDPOINTS = 40;
const OPEN_INTENTS = 200;
const LONGEST_SEQUENCE = 6;
/** Of the intents go to two endpoints. */
const SHARED = 0.25;
const TIMEOUT_SECONDS = 1;
const RETRIES = 30;
const RETRY_MS = 100;

export async function openMerchant({ pool, masterKey, dice, history, urlOf }: MerchantPlan): Promise<Merchant> {
  const box = createSecretBox([{ number: 1, bytes: masterKey }]);
  const accountId = newId('account', nowMs());
  const secret = newKey({ pepper: randomBytes(32), box }, { accountId, mode: 'test' }, 'secret', nowMs());
  const operation = { pool, nowMs: nowMs(), actor: 'operator:chaos' };
  await createAccount(operation, { id: accountId, name: 'A shop', keys: [secret.record] });
  const endpoints = Array.from({ length: ENDPOINTS }, () => newId('endpoint', nowMs()));
  for (const id of endpoints) {
    const sealed = box.seal(newEndpointSecret(randomBytes), endpointContext(accountId, id, 'endpoint-secret'));
    await pool.query(
      `insert into svc.endpoints (
         account_id, mode, id, url, event_types, retry_count, timeout_seconds, status, api_version, created_at, updated_at,
         secret_ciphertext
       ) values ($1, 'test', $2, $3, '{payment.updated}', ${RETRIES}, ${TIMEOUT_SECONDS}, 'enabled', '2026-11-15', now(), now(), $4)`,
      [accountId, id, urlOf(id), sealed],
    );
  }
  history.note('merchant', { accountId, secretKey: secret.text, timeoutMs: TIMEOUT_SECONDS * 1_000 });

  const newIntent = (): OpenIntent => {
    const [one = '', other = ''] = dice.shuffled(endpoints);
    return {
      id: newId('paymentIntent', nowMs()),
      endpoints: dice.roll() < SHARED ? [one, other] : [one],
      sequence: 0,
    };
  };
  const open = Array.from({ length: OPEN_INTENTS }, newIntent);

  const drafts = (count: number) =>
    Array.from({ length: count }, () => {
      const place = Math.floor(dice.roll() * open.length);
      const intent = open[place] ?? newIntent();
      intent.sequence += 1;
      if (intent.sequence >= LONGEST_SEQUENCE) open[place] = newIntent();
      const id = newId('event', nowMs());
      const body = JSON.stringify({ id, object: 'event', data: { object: { note: 'ü'.repeat(300) } } });
      return { id, intentId: intent.id, sequence: intent.sequence, endpoints: intent.endpoints, body };
    });

  return {
    secretKey: secret.text,
    emit: async (events) => {
      const drafted = drafts(events);
      const deliveries = drafted.flatMap(({ id, endpoints: to }) => to.map((endpoint) => ({ id, endpoint })));
      const values = [
        accountId,
        new Date(nowMs()),
        drafted.map(({ id }) => id),
        drafted.map(({ intentId }) => intentId),
        drafted.map(({ sequence }) => sequence),
        drafted.map(({ body }) => Buffer.from(body)),
        deliveries.map(({ id }) => id),
        deliveries.map(({ endpoint }) => endpoint),
      ];
      // Whether a commit whose connection broke was taken is unknown; the same ids again make no difference.
      for (;;) {
        const taken = await pool.query(EMIT, values).then(
          () => true,
          () => false,
        );
        if (taken) break;
        await sleep(RETRY_MS);
      }
      history.note('emitted', { events: drafted.map(({ id }) => id) });
      return deliveries.length;
    },
  };
}

const EMIT = `
  with written as (
    insert into svc.events (account_id, mode, id, type, intent_id, sequence, api_version, body, created_at)
    select $1, 'test', id, 'payment.updated', intent_id, sequence, '2026-11-15', body, $2
    from unnest($3::text[], $4::text[], $5::integer[], $6::bytea[]) as drafted (id, intent_id, sequence, body)
    on conflict do nothing
  )
  insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
  select $1, 'test', event_id, endpoint_id, 'pending', $2, $2
  from unnest($7::text[], $8::text[]) as drafted (event_id, endpoint_id)
  on conflict do nothing`;
