import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from './testing/create-test-database.ts';
import { insertRow, NOW } from './testing/sample-rows.ts';
import { seedSettledBatch } from './testing/seed-settled-batch.ts';
import { listIntents, openView, readLanes, traceIntent } from './view.ts';

const address = (byte: string) => `0x${byte.repeat(20)}`;
const lane = { network: evmNetwork(84_532), relayer: address('dd') };
const accountId = newId('account', NOW.getTime());
const intentId = newId('paymentIntent', NOW.getTime());
const item = {
  accountId,
  mode: 'test',
  paymentId: newId('payment', NOW.getTime()),
  intentId,
  intentCode: 7n,
  number: 7n,
  asset: address('70'),
  processor: address('ee'),
  kind: 'transfer_with_authorization',
  byContract: false,
  payer: address('aa'),
  capAtomic: 1_000n,
  settledAtomic: 777n,
  validAfterSeconds: 0n,
  validBeforeSeconds: 2_000_000_000n,
  nonce: `0x${'01'.repeat(32)}`,
  signature: `0x${'02'.repeat(65)}`,
  confirmations: 1,
  payout: { id: 3n, merchant: address('bb'), feeBps: 250, splits: [] },
} as const;

async function openSeeded() {
  const { pool, url } = await createTestDatabase();
  const mined = { paymentId: item.paymentId, outcome: 'settled', transferLogIndex: 0, logIndex: 1 } as const;
  await seedSettledBatch(pool, {
    lane,
    nonce: 4n,
    transactionId: `0x${'09'.repeat(32)}`,
    blockNumber: 12n,
    feeRecipient: address('cc'),
    gasCostAtomic: 100n,
    payments: [{ item, mined: { ...mined, feeAtomic: 19n, escrowedFor: [] } }],
  });
  const view = await openView(url);
  onTestFinished(() => view.close());
  return view;
}

test('the view tells a payment’s batch, transaction and legs, which sum to nothing per asset', async () => {
  const { pool } = await openSeeded();
  const seen = await traceIntent(pool, { accountId, mode: 'test', intentId });
  expect(seen.authorizations).toMatchObject([{ payer: item.payer, cap: '1000' }]);
  expect(seen.settlements).toMatchObject([{ settledAmount: '777', nonce: '4', itemCount: 1, blockNumber: '12' }]);
  expect(seen.legs.length).toBeGreaterThan(2);
  for (const legs of Map.groupBy(seen.legs, ({ asset }) => asset).values()) {
    expect(legs.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(0n);
  }
  const { lanes, waiting } = await readLanes(pool, 3);
  expect(lanes).toMatchObject([{ relayer: lane.relayer, batches: [{ nonce: '4', status: 'mined', itemCount: 1 }] }]);
  expect(waiting).toEqual({ queued: 0, held: 0 });
  const intents = await listIntents(pool, { accountId, mode: 'test', limit: 5 });
  expect(intents).toMatchObject([{ id: intentId }]);
  expect(await listIntents(pool, { accountId, mode: 'live', limit: 5 })).toEqual([]);
});

test('when the pool ends while lanes are read, the reader hears of it and no rejection is left unhandled', async () => {
  const { pool } = await createTestDatabase();
  await insertRow(pool, 'relayers');
  const unhandled: unknown[] = [];
  const note = (problem: unknown) => void unhandled.push(problem);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  // The pool answers the first query and has ended before the next.
  const reading = new pg.Pool({ ...pool.options });
  // The test database may be dropped before the server has seen the end of a connection.
  reading.on('connect', (client) => client.on('error', () => {}));
  const ask = reading.query.bind(reading) as (text: string, values?: unknown[]) => Promise<unknown>;
  Object.assign(reading, {
    query: async (text: string, values?: unknown[]) => {
      const answer = await ask(text, values);
      if (!reading.ending) await reading.end();
      return answer;
    },
  });
  await expect(readLanes(reading, 3)).rejects.toThrow('after calling end');
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

test.each([
  ['write', `update svc.batches set status = 'finalized'`, '25006'],
  ['write after asking to', `set transaction read write; delete from svc.settlements`, '42501'],
  ['see keys', 'select * from svc.api_keys', '42501'],
  ['see endpoints', 'select * from svc.endpoints', '42501'],
  ['see signatures', 'select signature from svc.authorizations', '42501'],
  ['see transactions before they are mined', 'select raw_transaction from svc.batch_transactions', '42501'],
])('the view can’t %s', async (_, statement, code) => {
  const { pool } = await openSeeded();
  await expect(pool.query(statement)).rejects.toMatchObject({ code });
});
