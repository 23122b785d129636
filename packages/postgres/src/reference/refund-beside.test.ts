import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { LOAD_REFUND_OF_PROOF } from './refund-beside.ts';

const { pool } = await createTestDatabase();

test('the refund of a proof is looked for by its whole key, however many refunds there are', async () => {
  const client = await pool.connect();
  try {
    // On an empty table a sequential scan is cheapest, and one index is as good as another.
    await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain (costs off, generic_plan) ${LOAD_REFUND_OF_PROOF.text}`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Cond: \(\(account_id = \$1\) AND .*mode.* = \$2\) AND \(id = \$3\)\)/);
  } finally {
    client.release(true);
  }
});
