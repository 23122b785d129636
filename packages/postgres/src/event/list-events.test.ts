// Each filter of events reads an index: among 20,000 events a page reads a few hundred blocks at most. A planner
// without statistics may choose a worse index, but never a sequential scan.
import type { Caller } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createTestDatabase, insertRow } from '../testing/index.ts';
import { type EventFilter, listEvents } from './list-events.ts';

const { pool } = await createTestDatabase();
const COUNT = 20_000;
const START_MS = Date.UTC(2026, 10, 14);
const MOST_BLOCKS = 400;
const MOST_WITHOUT_FIGURES = 700;
const caller = { accountId: 'acct_a', mode: 'test', kind: 'secret', keyId: 'key_a' } as unknown as Caller;
const ids = Array.from({ length: COUNT }, (_, index) => newId('event', START_MS + index * 1_000));
const pi = (number: number): Id<'paymentIntent'> => `pi_${String(number).padStart(26, '0')}` as Id<'paymentIntent'>;
const pay = (number: number): Id<'payment'> => `pay_${String(number).padStart(26, '0')}` as Id<'payment'>;

await insertRow(pool, 'accounts');
await insertRow(pool, 'account_modes');
await insertRow(pool, 'endpoints');
await pool.query(
  `insert into svc.events (account_id, mode, id, type, intent_id, payment_id, sequence, api_version, body, created_at)
   select 'acct_a', 'test', id, case when n = 77 then 'payment.refunded' when n % 2 = 0 then 'payment.created'
       else 'payment.completed' end,
     'pi_' || lpad((n / 4)::text, 26, '0'), 'pay_' || lpad((n / 4)::text, 26, '0'), 1, 'x', '{}', now()
   from unnest($1::text[]) with ordinality as given (id, n)`,
  [ids],
);
await pool.query(
  `insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, finished_at, reason, created_at)
   select 'acct_a', 'test', id, 'we_a', case when n % 4001 = 0 then 'failed' else 'succeeded' end, now(), 'x', now()
   from unnest($1::text[]) with ordinality as given (id, n)`,
  [ids],
);

const WAYS: [string, Partial<EventFilter>, number][] = [
  ['nothing in particular', {}, 25],
  ['what is far back', { before: ids[100] }, 25],
  ['a type that is everywhere', { type: 'payment.created' }, 25],
  ['a type that is rare', { type: 'payment.refunded' }, 1],
  ['an intent', { intentId: pi(9) }, 4],
  ['an intent that is not there', { intentId: pi(9_999_999) }, 0],
  ['a payment', { paymentId: pay(9) }, 4],
  ['a payment and a type', { paymentId: pay(9), type: 'payment.created' }, 2],
  ['what did not arrive', { undelivered: true }, 4],
  ['what of a type did not arrive', { undelivered: true, type: 'payment.created' }, 2],
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
