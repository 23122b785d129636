// The lease of an authorization that a seller settles: read, begun with an intent of its own, taken over, answered.
import type { LeasedAuthorization, LoadedLease, MarkedAnswer, ReturnOrder, SettleOrder } from '@svc-pay/core';
import type pg from 'pg';
import { type PayerBudgetRow, payerBudgetJoin, payerBudgetOf } from '../budget/payer-budget.ts';
import { insertText, sameNames } from '../database/insert-text.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { createRecorder } from '../intent/intent-recorder.ts';
import { type LeaseFactsRow, leaseFacts, leaseFactsOf, NOW_MS } from './lease-row.ts';

const WANTED = columnArrays<LeasedAuthorization>({
  claim_key: ['bytea', ({ claimKey }) => Buffer.from(claimKey)],
  network: ['text', ({ network }) => network],
  payer: ['text', ({ payer }) => payer],
});

const LOAD = {
  name: 'load-leases',
  text: `
    select ${leaseFacts('wanted.claim_key')}, budget.payer_budget, ${NOW_MS} as read_at_ms
    from ${WANTED.unnestWithPlace('wanted')}
    ${payerBudgetJoin('wanted.network', 'wanted.payer')}
    order by wanted.place`,
};

type LoadedRow = LeaseFactsRow & { readonly payer_budget: PayerBudgetRow | null; readonly read_at_ms: string };

/** Results are in the order of `wanted`. */
export async function loadLeases(
  pool: pg.Pool,
  wanted: readonly LeasedAuthorization[],
): Promise<readonly LoadedLease[]> {
  const { rows } = await pool.query<LoadedRow>({ ...LOAD, values: WANTED.values(wanted) });
  return rows.map((row) => ({
    ...leaseFactsOf(row),
    ...payerBudgetOf(row.payer_budget),
    readAtMs: Number(row.read_at_ms),
  }));
}

const recordWithLease = createRecorder<SettleOrder>('begin-x402-settle', {
  columns: {
    claim_key: ['bytea', ({ claimKey }) => Buffer.from(claimKey)],
    asset: ['text', ({ asset }) => asset],
    payer: ['text', ({ payer }) => payer],
    recipient: ['text', ({ recipient }) => recipient],
    lease_amount: ['numeric', ({ amount }) => amount.toString()],
    valid_before: ['bigint', ({ validBeforeSeconds }) => validBeforeSeconds.toString()],
    call: ['integer', ({ call }) => call],
  },
  insert: `${insertText(
    'svc.x402_leases as lease',
    {
      ...sameNames('account_id', 'mode', 'network', 'claim_key', 'asset', 'payer', 'recipient', 'valid_before', 'call'),
      intent_id: 'id',
      amount: 'lease_amount',
      call_at: 'now()',
    },
    'from asked',
  )}
      on conflict (claim_key) do update
      set account_id = excluded.account_id, mode = excluded.mode, recipient = excluded.recipient,
        amount = excluded.amount, valid_before = excluded.valid_before, call = excluded.call, call_at = excluded.call_at,
        answer = null, intent_id = excluded.intent_id
      where lease.call = excluded.call - 1`,
  returned: { id: 'intent_id' },
});

/** If the lease is no longer as it was read, nothing is written. */
export async function beginSettle(pool: pg.Pool, order: SettleOrder): Promise<boolean> {
  const { record } = order;
  return (await recordWithLease(pool, [{ record, gated: order }])).has(record.intent.id);
}

const TAKE_OVER = {
  name: 'take-over-lease',
  text: `
    update svc.x402_leases set call = $2, call_at = now(), answer = null
    where claim_key = $1 and call = $2 - 1 and intent_id is not null`,
};

export async function takeOverLease(pool: pg.Pool, claimKey: Uint8Array, call: number): Promise<boolean> {
  const { rowCount } = await pool.query({ ...TAKE_OVER, values: [Buffer.from(claimKey), call] });
  return rowCount === 1;
}

const RETURN = {
  name: 'return-lease',
  text: `
    update svc.x402_leases
    set call = $2, call_at = now(), answer = null, intent_id = $3, recipient = $4, amount = $5, valid_before = $6
    where claim_key = $1 and call = $2 - 1`,
};

export async function returnLease(pool: pg.Pool, order: ReturnOrder): Promise<boolean> {
  const { claimKey, call, intentId, recipient, amount, validBeforeSeconds } = order;
  const values = [Buffer.from(claimKey), call, intentId, recipient, amount.toString(), validBeforeSeconds.toString()];
  const { rowCount } = await pool.query({ ...RETURN, values });
  return rowCount === 1;
}

const MARKED = columnArrays<MarkedAnswer>({
  claim_key: ['bytea', ({ claimKey }) => Buffer.from(claimKey)],
  call: ['integer', ({ call }) => call],
  answer: ['text', ({ answer }) => answer],
});

// Locked in the order of keys, so that two processes never deadlock.
const MARK = {
  name: 'mark-lease-answers',
  text: `
    update svc.x402_leases lease set answer = marked.answer
    from (
      select found.claim_key, found.call, asked.answer from ${MARKED.unnest('asked')}
      join svc.x402_leases found on found.claim_key = asked.claim_key and found.call = asked.call
      order by found.claim_key for no key update of found
    ) marked
    where lease.claim_key = marked.claim_key and lease.call = marked.call`,
};

/** No two marks may be of one authorization. */
export async function markLeaseAnswers(pool: pg.Pool, marks: readonly MarkedAnswer[]): Promise<void> {
  await pool.query({ ...MARK, values: MARKED.values(marks) });
}
