import { expect, test } from 'vitest';
import { inQueueOrder, queueOrder } from '../endpoint/queue-order.ts';
import { createTestDatabase } from '../testing/index.ts';

const { pool } = await createTestDatabase();

// Queries of drains and periodic jobs. Each must find its work by index, however long the history is.
const questions: [string, string, string][] = [
  [
    'settlements of a network in order',
    "select * from svc.settlements where network = 'n' and status = 'queued' order by number limit 200 for update skip locked",
    'settlements_queue',
  ],
  [
    'settlements of a batch',
    "select * from svc.settlements where batch_id = 'b' and status in ('batched', 'mined')",
    'settlements_of_batch',
  ],
  [
    'batches to adopt',
    "select * from svc.batches where network = 'n' and relayer = 'r' and status in ('signed', 'broadcast', 'mined') order by nonce",
    'batches_unfinished',
  ],
  [
    'batches that gas budgets count',
    "select * from svc.batches where network = 'n' and status in ('signed', 'broadcast') and at_risk is not null",
    'batches_at_risk',
  ],
  [
    'refunds that are due',
    `select * from svc.refunds where network = 'n' and status = 'queued' and signature is not null
       and coalesce(retry_at, '-infinity'::timestamptz) <= now()
     order by coalesce(retry_at, '-infinity'::timestamptz), number limit 1`,
    'refunds_due',
  ],
  [
    'authorizations to watch',
    "select * from svc.authorizations where network = 'n' and closed_at is null and valid_before < 5",
    'authorizations_watched',
  ],
  [
    'intents to expire',
    "select * from svc.intents where status = 'requires_payment' and expires_at < now() order by expires_at limit 100",
    'intents_expiring',
  ],
  [
    'up-to intents by id alone',
    "select account_id, mode from svc.intents where id = 'pi' and x402_upto",
    'intents_upto',
  ],
  [
    'deliveries that are due',
    "select * from svc.deliveries where status = 'pending' and next_at <= now() order by next_at limit 100",
    'deliveries_due',
  ],
  [
    'deliveries of an endpoint that are due',
    `select * from svc.deliveries d where status = 'pending' and endpoint_id = 'e' and ${inQueueOrder('d')} and next_at <= now()
     order by ${queueOrder('d')} limit 5`,
    'deliveries_due_of_endpoint',
  ],
  [
    'audit records to seal',
    "select * from svc.audit where account_id = 'a' and mode = 'live' and sequence is null order by id limit 100",
    'audit_unsealed',
  ],
  [
    'answers to forget',
    "select * from svc.idempotency where created_at < now() - interval '30 days' order by created_at limit 1000",
    'idempotency_age',
  ],
];

test.each(questions)('%s are found by index, without sorting', async (_, sql, index) => {
  const client = await pool.connect();
  try {
    // On empty tables a sequential scan is cheapest. The test asks whether there is an index that serves the query.
    await client.query('set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${sql}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan|^\s*(->\s+)?(Incremental )?Sort$/m);
    const { rows: parts } = await client.query<{ name: string }>(
      `select $1::text as name union all
       select inhrelid::regclass::text from pg_inherits where inhparent = ('svc.' || $1)::regclass`,
      [index],
    );
    const names = new Set(parts.map(({ name }) => name.replace('svc.', '')));
    const used = [...plan.matchAll(/Index (?:Only )?Scan (?:Backward )?using (\w+)/g)].map(([, name]) => name ?? '');
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  } finally {
    client.release(true);
  }
});
