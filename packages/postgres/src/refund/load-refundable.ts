// Reads a payment with all that its refund needs.
import { PAYOUT_STATUS, type RefundablePayment, type RefundCaller } from '@svc-pay/core';
import type { NetworkId, PaymentStatus } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { ONE_BY_KEY } from '../database/planner.ts';
import { sqlIsNot } from '../database/status-sql.ts';
import { payoutOfSettlement } from '../ledger/payout-of-settlement.ts';

/** SQL array: every wallet that payouts of the account pay on this network. */
export const walletsOf = (alias: string): string => `array(
      select distinct known.merchant from svc.payouts known
      where known.account_id = ${alias}.account_id and known.mode = ${alias}.mode and known.network = ${alias}.network
        and known.status ${sqlIsNot(PAYOUT_STATUS.pending)}
      order by known.merchant
    )`;

const one = (name: string, source: string) =>
  `left join lateral (select * from ${source} ${ONE_BY_KEY}) ${name} on true`;

const LOAD = {
  name: 'load-refundable',
  text: `
    select p.account_id, p.mode, p.id, p.intent_id, i.intent_code, p.status, p.network, p.asset, p.token_shortcode, p.payer,
      p.paid_amount, p.refund_due_amount, coalesce(a.by_contract, false) as by_contract, t.merchant, ${walletsOf('p')} as wallets,
      (select id from svc.installation) as installation,
      svc.refundable_amount(p.account_id, p.mode, p.id) is not null as final,
      coalesce(sum.paid, p.paid_amount) as paid, coalesce(sum.refunded, 0) as refunded,
      coalesce(sum.reserved, 0) as reserved, coalesce(sum.last_sequence, 0) as last_sequence
    from svc.payments p
    join svc.intents i on i.account_id = p.account_id and i.mode = p.mode and i.id = p.intent_id
    ${one('s', 'svc.settlements s where s.account_id = p.account_id and s.mode = p.mode and s.payment_id = p.id')}
    ${payoutOfSettlement(one)}
    ${one('sum', 'svc.refund_totals sum where sum.account_id = p.account_id and sum.mode = p.mode and sum.payment_id = p.id')}
    where p.account_id = $1 and p.mode = $2 and p.id = $3`,
};

type Row = {
  readonly account_id: Id<'account'>;
  readonly mode: RefundablePayment['mode'];
  readonly id: Id<'payment'>;
  readonly intent_id: Id<'paymentIntent'>;
  readonly intent_code: string;
  readonly status: PaymentStatus;
  readonly network: NetworkId;
  readonly asset: string;
  readonly token_shortcode: string;
  readonly payer: string | null;
  readonly by_contract: boolean;
  readonly merchant: string | null;
  readonly wallets: readonly string[];
  readonly installation: string;
  readonly final: boolean;
  readonly paid: string | null;
  readonly refunded: string;
  readonly reserved: string;
  readonly refund_due_amount: string | null;
  readonly last_sequence: number;
};

export async function loadRefundable(
  pool: pg.Pool,
  { accountId, mode }: RefundCaller,
  paymentId: Id<'payment'>,
): Promise<RefundablePayment | undefined> {
  const { rows } = await pool.query<Row>({ ...LOAD, values: [accountId, mode, paymentId] });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    accountId: row.account_id,
    mode: row.mode,
    paymentId: row.id,
    intentId: row.intent_id,
    intentCode: BigInt(row.intent_code),
    network: row.network,
    asset: row.asset,
    tokenShortcode: row.token_shortcode,
    installation: row.installation,
    status: row.status,
    final: row.final,
    payer: row.payer,
    byContract: row.by_contract,
    totals: {
      paidAtomic: BigInt(row.paid ?? 0),
      refundedAtomic: BigInt(row.refunded),
      reservedAtomic: BigInt(row.reserved),
    },
    dueAtomic: row.refund_due_amount === null ? null : BigInt(row.refund_due_amount),
    nextSequence: row.last_sequence + 1,
    wallet: row.merchant,
    wallets: row.wallets,
  };
}
