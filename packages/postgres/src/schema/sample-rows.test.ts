import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { insertRow, insertRows, SAMPLES, type SampleTable } from '../testing/sample-rows.ts';

const { pool } = await createTestDatabase();

test('every table takes its sample row, so what refuses another row is what was changed', async () => {
  for (const table of Object.keys(SAMPLES) as SampleTable[]) {
    if (table === 'ledger_entries') await insertRows(pool, table, [{}, { id: 'lg_other', amount: '1000000' }]);
    else await insertRow(pool, table);
  }
});

const WALLET = `0x${'66'.repeat(20)}`;
const direct = {
  kind: 'direct',
  processor: WALLET,
  merchant: WALLET,
  fee_bps: 0,
  asset: `0x${'33'.repeat(20)}`,
  activation: '{}',
  active_from: new Date(0),
};
const refusals: [SampleTable, string, Record<string, unknown>][] = [
  ['intents', 'a negative amount', { amount: '-1' }],
  ['intents', 'an amount of nothing', { amount: '0' }],
  ['intents', '2^256', { amount: (2n ** 256n).toString() }],
  ['intents', 'half a unit', { amount: '0.5' }],
  ['intents', 'a word that is no status', { status: 'succeeded' }],
  ['intents', 'the spelling of an event as a status', { status: 'cancelled' }],
  ['intents', 'a mode that is none', { mode: 'sandbox' }],
  ['intents', 'metadata that is no object', { metadata: '[]' }],
  ['intents', 'metadata over 16 KiB', { metadata: `{"a":"${'x'.repeat(16_384)}"}` }],
  ['intents', 'a code past 2^53', { intent_code: '9007199254740992' }],
  ['intents', 'a success without payment', { status: 'completed' }],
  ['acceptances', 'paying the token contract itself', { pay_to: '0x3333333333333333333333333333333333333333' }],
  ['claims', 'a key of another length', { claim_key: Buffer.alloc(31) }],
  ['payments', 'a success without money', { status: 'completed', completed_at: new Date() }],
  ['payments', 'a failure without reason', { status: 'failed' }],
  ['settlements', 'more than the cap', { cap: '5', settled_amount: '6' }],
  ['settlements', 'a settled amount of nothing', { settled_amount: '0' }],
  ['settlements', 'a batched one without batch', { status: 'batched' }],
  ['gas_losses', 'a loss of nothing', { id: 'lg_b', amount: '0' }],
  ['gas_losses', 'an account without its payment', { id: 'lg_b', payment_id: null }],
  ['payouts', 'a fee over ten percent', { fee_bps: 1001, payout_id: 2 }],
  ['payouts', 'a direct one that nobody signed', { ...direct, activation: null, payout_id: 2 }],
  ['payouts', 'a direct one for no token', { ...direct, asset: null, payout_id: 2 }],
  ['payouts', 'a direct one without a time', { ...direct, active_from: null, payout_id: 2 }],
  ['payouts', 'a direct one with a fee', { ...direct, fee_bps: 1, payout_id: 2 }],
  ['payouts', 'a direct one with a split', { ...direct, splits: '[{}]', payout_id: 2 }],
  ['payouts', 'a direct one to two addresses', { ...direct, merchant: '0x1', payout_id: 2 }],
  ['payouts', 'a processor’s with an activation', { activation: '{}', payout_id: 2 }],
  ['api_keys', 'a secret in clear text', { id: 'key_b', ciphertext: null, publishable_text: 'sk_live_x' }],
  ['endpoints', 'no event type', { id: 'we_b', event_types: [] }],
  ['endpoints', 'an unknown event type', { id: 'we_b', event_types: ['payment.canceled'] }],
  ['endpoints', 'more than 36 retries', { id: 'we_b', retry_count: 37 }],
  ['events', 'an unknown type', { type: 'payment.canceled' }],
  ['deliveries', 'a waiting one without a time', { next_at: null }],
  ['deliveries', 'giving up without a reason', { status: 'failed', next_at: null, finished_at: new Date() }],
  ['endpoints', 'a former secret that never expires', { id: 'we_b', previous_secret_ciphertext: Buffer.alloc(60) }],
  ['endpoints', 'more than 20 headers', { id: 'we_b', header_names: Array(21).fill('x') }],
  ['event_replays', 'an end before its beginning', { id: 'rec_b', to_at: new Date(-1) }],
  ['event_replays', 'a failure without reason', { id: 'rec_b', status: 'failed', finished_at: new Date() }],
  ['event_replays', 'more queued than examined', { id: 'rec_b', queued: 1 }],
  ['idempotency', 'remembering a 500', { key: 'b', response_status: 500, response_body: Buffer.alloc(0) }],
];

test.each(refusals)('%s refuses %s', async (table, _, change) => {
  await expect(insertRow(pool, table, change)).rejects.toMatchObject({ code: '23514' });
});

test('a mode has one signing key', async () => {
  const key = (id: string) => ({ id, lookup: Buffer.from(id.padEnd(32)), signing: true });
  await insertRow(pool, 'api_keys', key('key_c'));
  await expect(insertRow(pool, 'api_keys', key('key_d'))).rejects.toMatchObject({ constraint: 'api_keys_one_signing' });
});

test('a claim is taken once, whoever asks', async () => {
  await expect(
    insertRow(pool, 'claims', { account_id: 'acct_b', mode: 'live', intent_id: 'pi_other' }),
  ).rejects.toMatchObject({ code: '23505' });
});

test('a lane carries one living batch per nonce', async () => {
  await expect(insertRow(pool, 'batches', { id: 'bat_b' })).rejects.toMatchObject({ constraint: 'batches_nonce' });
  await pool.query("update svc.batches set status = 'dropped'");
  await insertRow(pool, 'batches', { id: 'bat_b' });
});
