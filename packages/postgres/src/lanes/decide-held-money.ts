// Stranded money of an up-to intent waits for its merchant: settled, it completes the payment; released or run out, it goes
// back whole. Decided under the intent's lock, once.
import { bookStranding, isoTime, type Mode } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import { lockIntent } from '../stores/load-intent.ts';
import { loadClaimedPayments } from './claimed-payments.ts';
import { writeEntries } from './write-ends.ts';

export type DecidedMoney = {
  readonly intentId: string;
  readonly paymentId: string;
  readonly deed: 'settle' | 'return';
};

type HeldRow = {
  readonly account_id: Id<'account'>;
  readonly mode: Mode;
  readonly claim_key: Buffer;
  readonly intent_id: Id<'paymentIntent'>;
  readonly stranded_transaction_id: string;
  readonly stranded_log_index: number;
};

const LOAD = {
  name: 'load-held-money',
  text: `
    select account_id, mode, claim_key, intent_id, stranded_transaction_id, stranded_log_index from svc.recoveries
    where network = $1 and status <> 'done' and deed = 'hold' order by number limit $2`,
};

/** Answers what was decided now; money whose merchant may still settle is left as it is. */
export async function decideHeldMoney(
  pool: pg.Pool,
  network: NetworkId,
  nowMs: number,
  limit: number,
): Promise<readonly DecidedMoney[]> {
  const { rows } = await pool.query<HeldRow>({ ...LOAD, values: [network, limit] });
  const decided: DecidedMoney[] = [];
  for (const row of rows) {
    const done = await inTransaction(pool, (client) => decide(client, network, row, nowMs));
    if (done !== undefined) decided.push(done);
  }
  return decided;
}

async function decide(
  client: pg.PoolClient,
  network: NetworkId,
  row: HeldRow,
  nowMs: number,
): Promise<DecidedMoney | undefined> {
  const owner = { accountId: row.account_id, mode: row.mode };
  const locked = await lockIntent(client, owner, row.intent_id);
  if (locked === undefined) throw new Error(`intent ${row.intent_id} is gone`);
  const { status } = locked.intent;
  const begun = await holdBegunPayment(client, row, nowMs);
  if (begun === 'in_flight') return undefined;
  const over = status === 'canceled' || status === 'failed';
  if (begun === undefined && !over) return undefined;
  const paymentId = begun?.paymentId ?? (await writeCanceledPayment(client, row, nowMs));
  const deed = begun?.held === true ? 'settle' : 'return';
  const changed = await client.query({
    name: 'decide-held-money',
    text: `
      update svc.recoveries set deed = $4, payment_id = $5, updated_at = $6
      where account_id = $1 and mode = $2 and claim_key = $3 and deed = 'hold' and status = 'queued'`,
    values: [row.account_id, row.mode, row.claim_key, deed, paymentId, isoTime(nowMs)],
  });
  if (changed.rowCount !== 1) throw new Error(`the money of intent ${row.intent_id} was decided by somebody else`);
  const { item } = (await loadClaimedPayments(client, [{ ...owner, paymentId }])).get(paymentId) ?? {};
  if (item === undefined) throw new Error(`payment ${paymentId} has no settlement`);
  const place = { transactionId: row.stranded_transaction_id, logIndex: row.stranded_log_index };
  await writeEntries(client, bookStranding(network, item, place, { nowMs }));
  return { intentId: row.intent_id, paymentId, deed };
}

/** The payment that the merchant's settle began, no longer for a lane to send; undefined when there is none. */
async function holdBegunPayment(
  client: pg.ClientBase,
  { account_id, mode, claim_key }: HeldRow,
  nowMs: number,
): Promise<{ readonly paymentId: string; readonly held: boolean } | 'in_flight' | undefined> {
  const { rows } = await client.query<{ payment_id: string; status: string }>({
    name: 'find-begun-payment',
    text: `
      select s.payment_id, s.status from svc.claims c
      join svc.settlements s on s.account_id = $1 and s.mode = $2 and s.payment_id = c.payment_id
      where c.claim_key = $3 for update of s`,
    values: [account_id, mode, claim_key],
  });
  const [found] = rows;
  if (found === undefined) return undefined;
  const paymentId = found.payment_id;
  if (found.status === 'failed' || found.status === 'canceled') return { paymentId, held: false };
  if (found.status === 'held') return { paymentId, held: true };
  if (found.status !== 'queued') return 'in_flight';
  await client.query({
    name: 'hold-begun-payment',
    text: `
      update svc.settlements set status = 'held', updated_at = $4
      where account_id = $1 and mode = $2 and payment_id = $3 and status = 'queued'`,
    values: [account_id, mode, paymentId, isoTime(nowMs)],
  });
  return { paymentId, held: true };
}

// Books need a payment to stand under: one that nobody settled, canceled from its first moment. The intent does not name it.
const CANCELED = {
  name: 'write-canceled-payment',
  text: `
    with settlement as (
      insert into svc.settlements (
        account_id, mode, payment_id, intent_id, intent_code, claim_key, network, asset, status, cap, settled_amount,
        payout_id, created_at, updated_at
      )
      select $1, $2, $4, $3, i.intent_code, a.claim_key, a.network, a.asset, 'canceled', a.cap, a.cap, offered.payout_id,
        $6, $6
      from svc.authorizations a
      join svc.intents i on i.account_id = $1 and i.mode = $2 and i.id = $3
      join svc.acceptances offered
        on offered.account_id = $1 and offered.mode = $2 and offered.intent_id = $3 and offered.scheme = 'upto'
          and offered.network = a.network and offered.asset = a.asset and offered.amount = a.cap
      where a.account_id = $1 and a.mode = $2 and a.intent_id = $3 and a.claim_key = $5
      returning number, network, asset, cap
    ),
    claim as (
      update svc.claims set payment_id = $4 where claim_key = $5
    )
    insert into svc.payments (
      account_id, mode, id, intent_id, status, network, token_shortcode, asset, payer, amount, requested_amount,
      settlement_number, created_at, updated_at
    )
    select $1, $2, $4, $3, 'canceled', s.network, i.token_shortcode, s.asset, a.payer, s.cap, s.cap, s.number, $6, $6
    from settlement s
    join svc.intents i on i.account_id = $1 and i.mode = $2 and i.id = $3
    join svc.authorizations a
      on a.account_id = $1 and a.mode = $2 and a.intent_id = $3 and a.claim_key = $5`,
};

async function writeCanceledPayment(client: pg.ClientBase, row: HeldRow, nowMs: number): Promise<string> {
  const paymentId = newId('payment', nowMs);
  const { rowCount } = await client.query({
    ...CANCELED,
    values: [row.account_id, row.mode, row.intent_id, paymentId, row.claim_key, isoTime(nowMs)],
  });
  if (rowCount !== 1) throw new Error(`intent ${row.intent_id} has no authorization to give back`);
  return paymentId;
}
