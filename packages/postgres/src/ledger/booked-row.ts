// Reads a payment with everything that must agree with it as one row. All lookups are by key.
import {
  type BatchStatus,
  type BookedEntry,
  type BookedPaymentRow,
  type Mode,
  REFUND_STATUS,
  type SettlementStatus,
  type StrandedStatus,
} from '@svc-pay/core';
import type { IntentStatus, PaymentStatus } from '@svc-pay/protocol';
import { ONE_BY_KEY } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';
import { payoutOfSettlement } from './payout-of-settlement.ts';

const one = (name: string, source: string) =>
  `left join lateral (select * from ${source} ${ONE_BY_KEY}) ${name} on true`;

// Of a chain whose transactions have no logs: one transaction paid merchants of two cells, and the account moved to the other one.
const LEFT_BEHIND = `case
      when p.network not like 'eip155:%' and (c.account_id <> p.account_id or l.account_id <> p.account_id) then exists (
        select from svc.audit entry
        where entry.account_id = p.account_id and entry.mode = p.mode and entry.action = 'account.arrived'
          and (entry.detail ->> 'behind')::bigint > 0
      ) else false
    end`;

/** `payments` is a query that yields rows of `svc.payments`. */
export const bookedRows = (payments: string): string => `
  select p.account_id, p.mode, p.id, p.intent_id, p.status, p.network, p.asset, p.payer, p.paid_amount, p.fee_amount,
    p.refund_amount, p.refunded_amount, p.transaction_id, p.transaction_split_id,
    i.status as intent_status, i.intent_code, i.payment_id as intent_payment_id,
    s.status as settlement_status, s.cap, s.settled_amount, s.payout_id, s.direct, s.foreign_transaction_id,
    c.payment_id as claimed_by, '0x' || encode(c.nonce, 'hex') as nonce, l.payment_id as proven_payment_id,
    b.id as batch_id, b.status as batch_status, b.transaction_id as batch_transaction_id,
    t.merchant, t.fee_bps, t.splits,
    ${LEFT_BEHIND} as left_behind,
    v.action, v.status as stranded_status, v.stranded_transaction_id, v.stranded_log_index, v.batch_id as stranded_batch,
    p.id >= (
      select svc.id_bound('pay', svc.first_kept(item)) from svc.partitioned_tables item where table_name = 'settlements'
    ) as settlement_kept,
    coalesce((
      select json_agg(json_build_object('id', e.id, 'network', e.network, 'asset', e.asset, 'account', e.account_name,
        'party', e.party, 'amount', e.amount::text, 'transaction', e.transaction_id, 'log', e.log_index,
        'reverses', e.reverses) order by e.id)
      from svc.ledger_entries e where e.account_id = p.account_id and e.mode = p.mode and e.payment_id = p.id
    ), '[]') as entries,
    coalesce((
      select json_agg(json_build_object('id', r.id, 'amount', r.amount::text, 'wallet', r.wallet, 'recipient', r.recipient,
        'transaction', r.transaction_id, 'log', r.log_index, 'proven', exists (
          select from svc.log_proofs proof
          where proof.network = r.network and proof.transaction_id = r.transaction_id and proof.log_index = r.log_index
            and proof.refund_id = r.id
        )) order by r.id)
      from svc.refunds r
      where r.account_id = p.account_id and r.mode = p.mode and r.payment_id = p.id
        and r.status ${sqlIs(REFUND_STATUS.completed)}
    ), '[]') as refunds
  from (${payments}) p
  ${one('i', 'svc.intents i where i.account_id = p.account_id and i.mode = p.mode and i.id = p.intent_id')}
  ${one('s', 'svc.settlements s where s.account_id = p.account_id and s.mode = p.mode and s.payment_id = p.id')}
  ${one('v', 'svc.stranded_transfers v where v.account_id = p.account_id and v.mode = p.mode and v.payment_id = p.id')}
  ${one('c', 'svc.claims c where c.claim_key = s.claim_key')}
  ${one('b', 'svc.batches b where b.id = s.batch_id')}
  ${payoutOfSettlement(one)}
  ${one(
    'l',
    `svc.log_proofs l where l.network = p.network and l.transaction_id = p.transaction_id
      and l.log_index = case when p.transaction_split_id like '%:%'
        then substring(p.transaction_split_id from '[0-9]+$')::integer end`,
  )}`;

export type BookedDbRow = {
  readonly account_id: string;
  readonly mode: Mode;
  readonly id: string;
  readonly intent_id: string;
  readonly status: PaymentStatus;
  readonly network: string;
  readonly asset: string;
  readonly payer: string | null;
  readonly paid_amount: string | null;
  readonly fee_amount: string | null;
  readonly refund_amount: string | null;
  readonly refunded_amount: string | null;
  readonly transaction_id: string | null;
  readonly transaction_split_id: string | null;
  readonly intent_status: IntentStatus | null;
  readonly intent_code: string;
  readonly intent_payment_id: string | null;
  readonly settlement_status: SettlementStatus | null;
  readonly cap: string;
  readonly settled_amount: string;
  readonly payout_id: string | null;
  readonly direct: boolean | null;
  readonly foreign_transaction_id: string | null;
  readonly nonce: string | null;
  readonly proven_payment_id: string | null;
  readonly claimed_by: string | null;
  readonly left_behind: boolean;
  readonly batch_id: string | null;
  readonly batch_status: BatchStatus;
  readonly batch_transaction_id: string;
  readonly merchant: string | null;
  readonly fee_bps: number;
  readonly splits: readonly { readonly to: string; readonly bps: number }[];
  readonly action: string | null;
  readonly stranded_status: StrandedStatus;
  readonly stranded_transaction_id: string;
  readonly stranded_log_index: number;
  readonly stranded_batch: string | null;
  readonly settlement_kept: boolean | null;
  readonly refunds: readonly {
    readonly id: string;
    readonly amount: string;
    readonly wallet: string;
    readonly recipient: string;
    readonly transaction: string;
    readonly log: number;
    readonly proven: boolean;
  }[];
  readonly entries: readonly {
    readonly id: string;
    readonly network: string;
    readonly asset: string;
    readonly account: BookedEntry['accountName'];
    readonly party: string;
    readonly amount: string;
    readonly transaction: string;
    readonly log: number;
    readonly reverses: string | null;
  }[];
};

export function bookedRowOf(row: BookedDbRow): BookedPaymentRow {
  return {
    accountId: row.account_id,
    mode: row.mode,
    paymentId: row.id,
    status: row.status,
    network: row.network,
    asset: row.asset,
    payer: row.payer,
    nonce: row.nonce,
    paidAtomic: amountOf(row.paid_amount),
    feeAtomic: amountOf(row.fee_amount),
    refundAtomic: amountOf(row.refund_amount),
    refundedAtomic: amountOf(row.refunded_amount),
    refunds: row.refunds.map(({ id, amount, wallet, recipient, transaction, log, proven }) => ({
      id,
      amountAtomic: BigInt(amount),
      wallet,
      recipient,
      transactionId: transaction,
      logIndex: log,
      proven,
    })),
    transactionId: row.transaction_id,
    splitId: row.transaction_split_id,
    intentId: row.intent_id,
    intent:
      row.intent_status === null
        ? null
        : { status: row.intent_status, code: BigInt(row.intent_code), paymentId: row.intent_payment_id },
    settlement: settlementOf(row),
    settlementKept: row.settlement_kept ?? true,
    terms: row.merchant === null ? null : { merchant: row.merchant, feeBps: row.fee_bps, splits: row.splits },
    strandedTransfer:
      row.action === null
        ? null
        : {
            action: row.action,
            status: row.stranded_status,
            transactionId: row.stranded_transaction_id,
            logIndex: row.stranded_log_index,
            batchId: row.stranded_batch,
          },
    provenPaymentId: row.proven_payment_id,
    leftBehind: row.left_behind,
    entries: row.entries.map((entry) => ({
      id: entry.id,
      network: entry.network,
      asset: entry.asset,
      accountName: entry.account,
      party: entry.party,
      amountAtomic: BigInt(entry.amount),
      transactionId: entry.transaction,
      logIndex: entry.log,
      reverses: entry.reverses,
    })),
  };
}

function settlementOf(row: BookedDbRow): BookedPaymentRow['settlement'] {
  if (row.settlement_status === null) return null;
  return {
    status: row.settlement_status,
    capAtomic: BigInt(row.cap),
    settledAtomic: BigInt(row.settled_amount),
    payoutId: amountOf(row.payout_id),
    claimedBy: row.claimed_by,
    batch:
      row.batch_id === null
        ? null
        : { id: row.batch_id, status: row.batch_status, transactionId: row.batch_transaction_id },
    direct: row.direct ?? false,
    foreignTransactionId: row.foreign_transaction_id,
  };
}

const amountOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));
