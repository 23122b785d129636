// Traces an intent for an operator, with details that merchants
// do not see: authorizations, transactions and ledger entries.
import type { Mode } from '@svc-pay/core';
import type pg from 'pg';

export type IntentTrail = {
  readonly authorizations: readonly {
    readonly kind: string;
    /** The recipient is the merchant's own wallet. */
    readonly direct: boolean;
    readonly recipient: string;
    readonly payer: string;
    readonly cap: string;
    readonly validBeforeSeconds: string;
    readonly createdAt: Date;
  }[];
  /** Refused headers. They changed nothing. */
  readonly refusals: readonly { readonly code: string; readonly payer: string | null; readonly createdAt: Date }[];
  readonly settlements: readonly {
    readonly paymentId: string;
    readonly status: string;
    readonly cap: string;
    readonly settledAmount: string;
    readonly createdAt: Date;
    readonly updatedAt: Date;
    /** The foreign transaction that completed it. */
    readonly foreignTransactionId: string | null;
    readonly batchId: string | null;
    readonly relayer: string | null;
    readonly nonce: string | null;
    readonly batchStatus: string | null;
    readonly itemCount: number | null;
    readonly blockNumber: string | null;
    readonly batchCreatedAt: Date | null;
    readonly batchUpdatedAt: Date | null;
  }[];
  /** Every transaction signed for these payments. Any of them may be the one that was mined. */
  readonly transactions: readonly { readonly transactionId: string; readonly createdAt: Date }[];
  /** Ledger entries. They sum up to zero per asset. */
  readonly legs: readonly {
    readonly account: string;
    readonly party: string;
    readonly asset: string;
    readonly amount: string;
    readonly createdAt: Date;
  }[];
};

const OF_INTENT = 'account_id = $1 and mode = $2 and intent_id = $3';
const AUTHORIZATIONS = `
  select kind, direct, recipient, payer, cap::text, valid_before::text as "validBeforeSeconds", created_at as "createdAt"
  from svc.authorizations where ${OF_INTENT} order by created_at`;
const REFUSALS = `
  select code, payer, created_at as "createdAt" from svc.attempts where ${OF_INTENT} order by id`;
const SETTLEMENTS = `
  select s.payment_id as "paymentId", s.status, s.cap::text, s.settled_amount::text as "settledAmount",
    s.created_at as "createdAt", s.updated_at as "updatedAt", s.foreign_transaction_id as "foreignTransactionId", b.id as "batchId", b.relayer, b.nonce::text, b.status as "batchStatus",
    b.item_count as "itemCount", b.block_number::text as "blockNumber", b.created_at as "batchCreatedAt",
    b.updated_at as "batchUpdatedAt"
  from svc.settlements s left join svc.batches b on b.id = s.batch_id
  where s.account_id = $1 and s.mode = $2 and s.intent_id = $3 order by s.number`;
const TRANSACTIONS = `
  select transaction_id as "transactionId", created_at as "createdAt" from svc.batch_transactions
  where batch_id = any ($1) order by created_at`;
const LEGS = `
  select account_name as account, party, asset, amount::text, created_at as "createdAt" from svc.ledger_entries
  where account_id = $1 and mode = $2 and payment_id = any ($3) order by payment_id, id`;

export type TracedIntent = { readonly accountId: string; readonly mode: Mode; readonly intentId: string };

/** Lists are empty for steps that have not happened, and for an intent that does not exist. */
export async function traceIntent(pool: pg.Pool, { accountId, mode, intentId }: TracedIntent): Promise<IntentTrail> {
  const key = [accountId, mode, intentId];
  const [authorizations, refusals, settlements] = await Promise.all([
    pool.query<IntentTrail['authorizations'][number]>(AUTHORIZATIONS, key),
    pool.query<IntentTrail['refusals'][number]>(REFUSALS, key),
    pool.query<IntentTrail['settlements'][number]>(SETTLEMENTS, key),
  ]);
  const batchIds = settlements.rows.flatMap(({ batchId }) => (batchId === null ? [] : [batchId]));
  const paymentIds = settlements.rows.map(({ paymentId }) => paymentId);
  const [transactions, legs] = await Promise.all([
    pool.query<IntentTrail['transactions'][number]>(TRANSACTIONS, [batchIds]),
    pool.query<IntentTrail['legs'][number]>(LEGS, [accountId, mode, paymentIds]),
  ]);
  return {
    authorizations: authorizations.rows,
    refusals: refusals.rows,
    settlements: settlements.rows,
    transactions: transactions.rows,
    legs: legs.rows,
  };
}
