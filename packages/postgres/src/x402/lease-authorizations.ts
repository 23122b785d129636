// Leases of many authorizations in one transaction. A lock of payer and token makes calls of one payer read what the call
// before them wrote: payloads of a payer that come at the same moment are counted together.
import { createHash } from 'node:crypto';
import {
  ANSWER_GRACE_MS,
  judgeVerify,
  type LeaseOrder,
  PAYMENT_STATUS,
  type PayerExposure,
  type VerifyVerdict,
} from '@svc-pay/core';
import { idBound } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type PayerBudgetRow, payerBudgetJoin, payerBudgetOf } from '../budget/payer-budget.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText, sameNames } from '../database/insert-text.ts';
import { columnArrays, namedParameters } from '../database/statement-parameters.ts';
import { sqlIs } from '../database/status-sql.ts';
import { type LeaseFactsRow, leaseFacts, leaseFactsOf } from './lease-row.ts';

const LOCK = {
  name: 'lock-lease-payers',
  // In one order, so that two processes never deadlock.
  // A call judges by the time at which it came, before it waited for the lock.
  text: `
    select pg_advisory_xact_lock(key), floor(extract(epoch from now()) * 1000)::text as now_ms
    from (select unnest($1::bigint[]) as key order by key) locks`,
};

const MOMENT = namedParameters({ now: 'bigint', pending_since: 'text' });
const WANTED = columnArrays<LeaseOrder>(
  {
    claim_key: ['bytea', ({ claimKey }) => Buffer.from(claimKey)],
    network: ['text', ({ network }) => network],
    asset: ['text', ({ asset }) => asset],
    payer: ['text', ({ payer }) => payer],
  },
  MOMENT.next,
);

/** Pending payments are younger: an up-to authorization, the longest of all, lives for seven days. */
const PENDING_MS = 8 * 86_400_000;
/** A payer with as many leases or payments in a token gets no further lease: they are not summed at any length. */
export const MOST_SUMMED = 1_000;

const LOAD = {
  name: 'load-leases-and-exposure',
  text: `
    select ${leaseFacts('wanted.claim_key')}, (
        select json_build_array(coalesce(sum(amount), 0)::text, count(*)) from (
          select amount from svc.x402_leases lease
          where network = wanted.network and payer = wanted.payer and asset = wanted.asset
            and (intent_id is null or answer is null or answer in ('lost', 'unclaimed'))
            and valid_before > ${MOMENT.at.now} and claim_key <> wanted.claim_key
            and (intent_id is null or not exists (select from svc.claims where claim_key = lease.claim_key))
          limit ${MOST_SUMMED}
        ) open
      ) as leased, (
        select json_build_array(coalesce(sum(amount), 0)::text, count(*)) from (
          select amount from svc.payments
          where network = wanted.network and payer = wanted.payer and asset = wanted.asset
            and status ${sqlIs(PAYMENT_STATUS.pending)} and id > ${MOMENT.at.pending_since}
          limit ${MOST_SUMMED}
        ) pending
      ) as pending, budget.payer_budget
    from ${WANTED.unnestWithPlace('wanted')}
    ${payerBudgetJoin('wanted.network', 'wanted.payer')}
    order by wanted.place`,
};

/** The sum and how many were summed. */
type Summed = readonly [string, number];

type LoadedRow = LeaseFactsRow & {
  readonly leased: Summed;
  readonly pending: Summed;
  readonly payer_budget: PayerBudgetRow | null;
};

type Grant = LeaseOrder & { readonly call: number };

const GRANT = columnArrays<Grant>({
  claim_key: ['bytea', ({ claimKey }) => Buffer.from(claimKey)],
  account_id: ['text', ({ accountId }) => accountId],
  mode: ['text', ({ mode }) => mode],
  network: ['text', ({ network }) => network],
  asset: ['text', ({ asset }) => asset],
  payer: ['text', ({ payer }) => payer],
  recipient: ['text', ({ recipient }) => recipient],
  amount: ['numeric', ({ amount }) => amount.toString()],
  valid_before: ['bigint', ({ validBeforeSeconds }) => validBeforeSeconds.toString()],
  call: ['integer', ({ call }) => call],
});
const WRITTEN = {
  ...sameNames('claim_key', 'account_id', 'mode', 'network', 'asset', 'payer'),
  ...sameNames('recipient', 'amount', 'valid_before', 'call'),
  call_at: 'clock_timestamp()',
};

// A settle takes no lock: it may have changed the row since it was read. The call is of the time after the wait for the lock:
// an answer that is on its way must not count as lost.
const WRITE = {
  name: 'write-leases',
  text: `
    ${insertText('svc.x402_leases as lease', WRITTEN, `from ${GRANT.unnest('granted')}`)}
    order by claim_key
    on conflict (claim_key) do update
    set account_id = excluded.account_id, mode = excluded.mode, recipient = excluded.recipient, amount = excluded.amount,
      valid_before = excluded.valid_before, call = excluded.call, call_at = excluded.call_at, answer = null, intent_id = null
    where lease.call = excluded.call - 1
    returning claim_key`,
};

/** A lease is used only if it was written well before its answer counts as lost; else two calls could use it. */
const MOST_WRITE_MS = ANSWER_GRACE_MS / 2;

/** Verdicts are in the order of `orders`. No two orders may be of one payer. */
export async function leaseAuthorizations(
  pool: pg.Pool,
  orders: readonly LeaseOrder[],
): Promise<readonly VerifyVerdict[]> {
  let writtenAtMs = Number.POSITIVE_INFINITY;
  const verdicts = await inTransaction(pool, async (client) => {
    const locked = await client.query<{ now_ms: string }>({ ...LOCK, values: [orders.map(lockKeyOf)] });
    const nowMs = Math.max(...locked.rows.map(({ now_ms }) => Number(now_ms)));
    const values = [
      ...MOMENT.values({ now: Math.floor(nowMs / 1_000), pending_since: idBound('payment', nowMs - PENDING_MS) }),
      ...WANTED.values(orders),
    ];
    const { rows } = await client.query<LoadedRow>({ ...LOAD, values });
    const judged = orders.map((order, index): VerifyVerdict => {
      const row = rows[index];
      if (row === undefined) throw new Error(`the leases of ${orders.length} orders were read as ${rows.length}`);
      return judgeVerify(order, leaseFactsOf(row), exposureOf(row), nowMs);
    });
    const granted = orders.flatMap((order, index) => {
      const verdict = judged[index];
      return verdict?.granted === true ? [{ ...order, call: verdict.call }] : [];
    });
    if (granted.length === 0) return judged;
    writtenAtMs = performance.now();
    const written = await client.query<{ claim_key: Buffer }>({ ...WRITE, values: GRANT.values(granted) });
    const won = new Set(written.rows.map(({ claim_key }) => claim_key.toString('hex')));
    return judged.map((verdict, index): VerifyVerdict => {
      const key = Buffer.from(orders[index]?.claimKey ?? []).toString('hex');
      return !verdict.granted || won.has(key) ? verdict : { granted: false, refusal: 'spent' };
    });
  });
  const tookMs = performance.now() - writtenAtMs;
  if (tookMs <= MOST_WRITE_MS) return verdicts;
  const problem = new Error(`${orders.length} leases were written in ${Math.round(tookMs)} ms, too late to be used`);
  throw Object.assign(problem, { code: 'ETIMEDOUT' });
}

function exposureOf({ leased, pending, payer_budget }: LoadedRow): PayerExposure {
  const uncounted = leased[1] >= MOST_SUMMED || pending[1] >= MOST_SUMMED;
  return { leased: BigInt(leased[0]), pending: BigInt(pending[0]), uncounted, ...payerBudgetOf(payer_budget) };
}

/** Orders with the same key must not share a transaction. */
export const payerKeyOf = ({ network, asset, payer }: Pick<LeaseOrder, 'network' | 'asset' | 'payer'>) =>
  JSON.stringify([network, asset, payer]);

function lockKeyOf(order: LeaseOrder): string {
  const digest = createHash('sha256').update('svc.x402_leases').update(payerKeyOf(order)).digest();
  return digest.readBigInt64BE().toString();
}
