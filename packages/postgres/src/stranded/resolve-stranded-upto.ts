// A stranded transfer of an up-to intent waits for the merchant. If the merchant settles, the transfer completes the
// payment; if the intent is canceled or failed, the whole amount is returned. Decided once, under the intent's lock.
import {
  bookStranding,
  type DecidedMoney,
  draftSteps,
  type HeldMoney,
  isoTime,
  judgeHeldMoney,
  type Mode,
  SETTLEMENT_STATUS,
  SETTLEMENT_TRANSITIONS,
  type SettlementStatus,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sameNames } from '../database/insert-text.ts';
import { sqlStep } from '../database/status-sql.ts';
import { isLocked } from '../database/try-for-lock.ts';
import { writeEvents } from '../event/write-events.ts';
import { type IntentToChange, lockIntent, type PaymentRow, paymentJson, paymentOf } from '../intent/load-intent.ts';
import { insertPayment } from '../payment/insert-payment.ts';
import { writeEntries } from '../payment/write-payment-results.ts';
import { loadClaimedPayments } from './claimed-payments.ts';

type HeldRow = {
  readonly number: string;
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
    select number, account_id, mode, claim_key, intent_id, stranded_transaction_id, stranded_log_index
    from svc.stranded_transfers
    where network = $1 and status <> 'done' and action = 'hold' and number > $2 order by number limit $3`,
};

/** Pages by number, so that transfers that stay undecided for days do not block those behind them. */
export async function loadHeldMoney(
  pool: pg.Pool,
  network: NetworkId,
  afterNumber: bigint,
  limit: number,
): Promise<readonly HeldMoney[]> {
  const { rows } = await pool.query<HeldRow>({ ...LOAD, values: [network, afterNumber.toString(), limit] });
  return rows.map((row) => ({
    number: BigInt(row.number),
    accountId: row.account_id,
    mode: row.mode,
    claimKey: row.claim_key,
    intentId: row.intent_id,
    position: { transactionId: row.stranded_transaction_id, logIndex: row.stranded_log_index },
  }));
}

/**
 * Writes one transaction. Undefined while nothing can be decided: the merchant may still settle, or a lane has the
 * settlement locked.
 */
export async function decideHeldMoney(
  pool: pg.Pool,
  network: NetworkId,
  money: HeldMoney,
  nowMs: number,
): Promise<DecidedMoney | undefined> {
  try {
    return await inTransaction(pool, (client) => decide(client, network, money, nowMs));
  } catch (problem) {
    if (isLocked(problem)) return undefined;
    throw problem;
  }
}

async function decide(
  client: pg.PoolClient,
  network: NetworkId,
  money: HeldMoney,
  nowMs: number,
): Promise<DecidedMoney | undefined> {
  const { accountId, mode, claimKey, intentId, position } = money;
  const owner = { accountId, mode };
  const locked = await lockIntent(client, owner, intentId);
  if (locked === undefined) throw new Error(`intent ${intentId} is gone`);
  const begun = await lockBegunSettlement(client, money);
  const decision = judgeHeldMoney({ intent: locked.intent.status, begun: begun?.status ?? null });
  if (decision === undefined) return undefined;
  const { action, payment } = decision;
  const paymentId = begun?.payment_id ?? (await writeCanceledPayment(client, money, locked, nowMs));
  if (payment === 'hold') await holdBegunPayment(client, money, paymentId, nowMs);
  const changed = await client.query({
    name: 'decide-held-money',
    text: `
      update svc.stranded_transfers set action = $4, payment_id = $5, updated_at = $6
      where account_id = $1 and mode = $2 and claim_key = $3 and action = 'hold' and status = 'queued'`,
    values: [accountId, mode, claimKey, action, paymentId, isoTime(nowMs)],
  });
  if (changed.rowCount !== 1) throw new Error(`the money of intent ${intentId} was decided by somebody else`);
  const { item } = (await loadClaimedPayments(client, [{ ...owner, paymentId }])).get(paymentId) ?? {};
  if (item === undefined) throw new Error(`payment ${paymentId} has no settlement`);
  await writeEntries(client, bookStranding(network, item, position, { nowMs }));
  return { intentId, paymentId, action };
}

type BegunRow = { readonly payment_id: string; readonly status: SettlementStatus };

/**
 * The settlement that the merchant's settle began, locked. Undefined if there is none. Who moves a settlement may wait
 * for the intent, which is locked here: a settlement that another process has is not waited for.
 */
async function lockBegunSettlement(
  client: pg.ClientBase,
  { accountId, mode, claimKey }: HeldMoney,
): Promise<BegunRow | undefined> {
  const { rows } = await client.query<BegunRow>({
    name: 'find-begun-payment',
    text: `
      select s.payment_id, s.status from svc.claims c
      join svc.settlements s on s.account_id = $1 and s.mode = $2 and s.payment_id = c.payment_id
      where c.claim_key = $3 for update of s nowait`,
    values: [accountId, mode, claimKey],
  });
  return rows[0];
}

const HOLD = sqlStep(SETTLEMENT_TRANSITIONS, SETTLEMENT_STATUS.queued, SETTLEMENT_STATUS.held);

/** Takes the begun payment off the queue, so that no lane sends it. */
async function holdBegunPayment(
  client: pg.ClientBase,
  { accountId, mode }: HeldMoney,
  paymentId: string,
  nowMs: number,
): Promise<void> {
  await client.query({
    name: 'hold-begun-payment',
    text: `
      update svc.settlements set status = ${HOLD.to}, updated_at = $4
      where account_id = $1 and mode = $2 and payment_id = $3 and status ${HOLD.from}`,
    values: [accountId, mode, paymentId, isoTime(nowMs)],
  });
}

// Ledger entries need a payment. For a transfer that nobody settled,
// a canceled payment is written, and the merchant is told; the intent does not refer to it.
const CANCELED = {
  name: 'write-canceled-payment',
  text: `
    with given as materialized (
      select a.account_id, a.mode, $4::text as payment_id, a.intent_id, i.intent_code, a.claim_key, a.network, a.asset,
        i.token_shortcode, a.payer, a.cap, offered.payout_id, offered.usd_per_token_atto
      from svc.authorizations a
      join svc.intents i on i.account_id = $1 and i.mode = $2 and i.id = $3
      join svc.acceptances offered
        on offered.account_id = $1 and offered.mode = $2 and offered.intent_id = $3 and offered.scheme = 'upto'
          and offered.network = a.network and offered.asset = a.asset and offered.amount = a.cap
      where a.account_id = $1 and a.mode = $2 and a.intent_id = $3 and a.claim_key = $5
    ),
    claim as (
      update svc.claims set payment_id = $4 where claim_key = $5 and account_id = $1 and mode = $2
    ),
    ${insertPayment(
      {
        ...sameNames('account_id', 'mode', 'payment_id', 'intent_id', 'intent_code', 'claim_key', 'network', 'asset'),
        ...sameNames('token_shortcode', 'payer', 'cap', 'payout_id', 'usd_per_token_atto'),
        settled_amount: 'cap',
        now: '$6::timestamptz',
        status: SETTLEMENT_STATUS.canceled,
      },
      'given',
    )}
    select from written_settlement`,
};

async function writeCanceledPayment(
  client: pg.ClientBase,
  { accountId, mode, intentId, claimKey }: HeldMoney,
  { intent, eventSequence }: IntentToChange,
  nowMs: number,
): Promise<string> {
  const paymentId = newId('payment', nowMs);
  const { rowCount } = await client.query({
    ...CANCELED,
    values: [accountId, mode, intentId, paymentId, claimKey, isoTime(nowMs)],
  });
  if (rowCount !== 1) throw new Error(`intent ${intentId} has no authorization to give back`);
  const { rows } = await client.query<{ payment: PaymentRow }>({
    name: 'load-canceled-payment',
    text: `
      select ${paymentJson('payment')} as payment from svc.payments payment
      where payment.account_id = $1 and payment.mode = $2 and payment.id = $3`,
    values: [accountId, mode, paymentId],
  });
  const [row] = rows;
  if (row === undefined) throw new Error(`payment ${paymentId} is gone`);
  const payment = { ...paymentOf(row.payment), announced: false };
  const origin = { requestId: newId('batch', nowMs), idempotencyKey: null };
  const { events } = draftSteps({ intent, payment: null }, [{ intent, payment }], origin, nowMs, eventSequence);
  await client.query({
    name: 'count-canceled-payment',
    text: `
      update svc.intents set event_sequence = event_sequence + $4, version = version + 1, updated_at = $5
      where account_id = $1 and mode = $2 and id = $3`,
    values: [accountId, mode, intentId, events.length, isoTime(nowMs)],
  });
  await writeEvents(
    client,
    events.map((event) => ({ event, owner: { accountId, mode } })),
  );
  return paymentId;
}
