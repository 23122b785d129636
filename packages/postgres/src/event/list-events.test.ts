// Each filter of events reads an index: among 100,000 events a page reads a few hundred blocks at most. A planner
// without statistics may choose a worse index, but never a sequential scan.
import type { Caller } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createTestDatabase, insertRow } from '../testing/index.ts';
import { type EventFilter, listEvents } from './list-events.ts';

const { pool } = await createTestDatabase();
const COUNT = 100_000;
const START_MS = Date.UTC(2026, 10, 14);
const MOST_BLOCKS = 400;
const MOST_WITHOUT_FIGURES = 700;
const caller = { accountId: 'acct_a', mode: 'test', kind: 'secret', keyId: 'key_a' } as unknown as Caller;
const ids = Array.from({ length: COUNT }, (_, index) => newId('event', START_MS + index * 1_000));
const pi = (number: number): Id<'paymentIntent'> => `pi_${String(number).padStart(26, '0')}` as Id<'paymentIntent'>;
const pay = (number: number): Id<'payment'> => `pay_${String(number).padStart(26, '0')}` as Id<'payment'>;
/** Of a sample: drafted in the millisecond of its event, and in no table. */
const SAMPLE = newId('payment', START_MS + 77 * 1_000);

await insertRow(pool, 'accounts');
await insertRow(pool, 'account_modes');
await insertRow(pool, 'endpoints');
await pool.query(
  `insert into svc.events (account_id, mode, id, type, intent_id, payment_id, sequence, api_version, body, created_at)
   select 'acct_a', 'test', id, case when n = 77 then 'payment.refunded' when n = 78 then 'payment.failed'
       when n % 4 = 0 then 'payment_intent.created' when n % 2 = 0 then 'payment.created' else 'payment.completed' end,
     'pi_' || lpad((n / 4)::text, 26, '0'), case when n = 78 then $2 when n % 4 > 0 then 'pay_' || lpad((n / 4)::text, 26, '0') end,
     1, 'x', '{}', now()
   from unnest($1::text[]) with ordinality as given (id, n)`,
  [ids, SAMPLE],
);
await insertRow(pool, 'payments', { id: pay(9), intent_id: pi(9) });
await pool.query(
  `insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, finished_at, reason, created_at)
   select 'acct_a', 'test', id, 'we_a', case when n % 4001 = 0 then 'failed' else 'succeeded' end, now(), 'x', now()
   from unnest($1::text[]) with ordinality as given (id, n)`,
  [ids],
);

const WAYS: [string, Partial<EventFilter>, number][] = [
  ['nothing in particular', {}, 25],
  ['what is far back', { before: ids[100] }, 25],
  ['a type that every intent has', { type: 'payment_intent.created' }, 25],
  ['a type that is everywhere', { type: 'payment.completed' }, 25],
  ['a type that is rare', { type: 'payment.refunded' }, 1],
  ['an intent', { intentId: pi(9) }, 4],
  ['an intent that is not there', { intentId: pi(9_999_999) }, 0],
  ['a payment', { paymentId: pay(9) }, 3],
  ['a payment and a type', { paymentId: pay(9), type: 'payment.completed' }, 2],
  ['a payment and its intent', { paymentId: pay(9), intentId: pi(9) }, 3],
  ['a payment and an intent of another', { paymentId: pay(9), intentId: pi(10) }, 0],
  ['a payment that is not there', { paymentId: pay(9_999_999) }, 0],
  ['the payment of a sample', { paymentId: SAMPLE }, 1],
  ['what did not arrive', { undelivered: true }, 24],
  ['what of a type did not arrive', { undelivered: true, type: 'payment.created' }, 6],
  ['what of an intent did not arrive', { undelivered: true, intentId: pi(1_000) }, 1],
  ['a time', { createdAfterMs: START_MS + 5_000_000, createdBeforeMs: START_MS + 5_010_000 }, 10],
];

async function blocksFor(filter: Partial<EventFilter>): Promise<{ found: number; blocks: number }> {
  let blocks = 0;
  const watched = {
    query: async (text: string, values: unknown[]) => {
      const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, values);
      const { Plan: plan } = rows[0]['QUERY PLAN'][0];
      blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      return pool.query(text, values);
    },
  };
  const nothing = { before: undefined, type: undefined, intentId: undefined, paymentId: undefined };
  const always = { limit: 25, createdAfterMs: undefined, createdBeforeMs: undefined, undelivered: false };
  const page = await listEvents(watched as unknown as typeof pool, caller, { ...nothing, ...always, ...filter });
  return { found: page.data.length, blocks };
}

test.each(WAYS)('by %s', async (_, filter, count) => {
  const { found, blocks } = await blocksFor(filter);
  expect(found).toBe(count);
  expect(blocks).toBeLessThan(MOST_WITHOUT_FIGURES);
});

test('and the same when the planner knows the tables', async () => {
  await pool.query('analyze');
  for (const [name, filter, count] of WAYS) {
    const { found, blocks } = await blocksFor(filter);
    expect({ name, found, few: blocks < MOST_BLOCKS, blocks }).toEqual({ name, found: count, few: true, blocks });
  }
});
