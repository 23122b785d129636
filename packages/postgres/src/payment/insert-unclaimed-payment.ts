// Writes payments that nobody submitted to us: money that the chain reader found. The claim is written with them, so that
// the same authorization, or the same log, pays nothing else.
import {
  breakdownOf,
  INTENT_TRANSITIONS,
  isoTime,
  type LaneItem,
  normalizeAddress,
  PAYABLE_INTENT,
  SETTLEMENT_STATUS,
  sharesOf,
} from '@svc-pay/core';
import { type Usd, usd } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { sqlStep } from '../database/status-sql.ts';
import { insertClaim } from './insert-authorization.ts';
import { insertPayment, rateOfOffer, splitsColumn } from './insert-payment.ts';

const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  intent_id: 'text',
  intent_code: 'bigint',
  payment_id: 'text',
  claim_key: 'bytea',
  network: 'text',
  asset: 'text',
  token_shortcode: 'text',
  payer: 'text',
  nonce: 'bytea',
  recipient: 'text',
  cap: 'numeric',
  asked: 'numeric',
  paid_total: 'numeric',
  refund_due_amount: 'numeric',
  payout_id: 'bigint',
  position: 'integer',
  direct: 'boolean',
  now: 'timestamptz',
});
const { account_id, mode, intent_id, intent_code, payment_id, claim_key, network, asset, payer, now } = GIVEN.at;
const { token_shortcode, recipient, cap, asked, paid_total, refund_due_amount, payout_id, direct } = GIVEN.at;

const CLAIMED = `
    claimed as (
      ${insertClaim({
        claim_key,
        account_id,
        mode,
        intent_id,
        network,
        asset,
        payer,
        payment_id,
        nonce: GIVEN.at.nonce,
        created_at: now,
      })}
      on conflict do nothing
      returning payment_id
    )`;
const PAYMENT = {
  account_id,
  mode,
  payment_id,
  intent_id,
  intent_code,
  claim_key,
  network,
  asset,
  token_shortcode,
  payer,
  cap,
  payout_id,
  recipient,
  direct,
  now,
  settled_amount: cap,
  requested_amount: asked,
  paid_total,
  refund_due_amount,
  usd_per_token_atto: rateOfOffer({ account_id, mode, intent_id, position: GIVEN.at.position }),
};

const PROCESSING = sqlStep(INTENT_TRANSITIONS, PAYABLE_INTENT, 'processing');
const CREDITS = namedParameters({ confirmations: 'integer' }, GIVEN.next);

// As a claim writes it; the caller completes it in the same transaction.
const CREDIT = {
  name: 'insert-unclaimed-payment',
  text: `
    with ${CLAIMED},
    ${insertPayment({ ...PAYMENT, status: SETTLEMENT_STATUS.held }, 'claimed')}
    update svc.intents
    set status = ${PROCESSING.to}, payment_id = ${payment_id}, amount = ${asked}, ledger_id = ${asset}, network = ${network},
      token_shortcode = ${token_shortcode}, confirmations = ${CREDITS.at.confirmations}, version = version + 1,
      updated_at = ${now}
    where account_id = ${account_id} and mode = ${mode} and id = ${intent_id} and status ${PROCESSING.from}
      and exists (select from claimed)`,
};

export type UnclaimedRow = {
  readonly network: NetworkId;
  readonly item: LaneItem;
  /** By the acceptance, whatever the item paid. */
  readonly askedAtomic: bigint;
  readonly paidTotalAtomic: bigint | null;
  readonly refundDueAtomic: bigint | null;
  readonly claimKey: Uint8Array;
  readonly tokenShortcode: string;
  /** Of the acceptance that was paid. */
  readonly position: number;
  readonly direct: boolean;
  readonly nowMs: number;
};

/** Throws, so that the transaction rolls back, when the intent is not payable or the claim is taken. */
export async function insertUnclaimedPayment(client: pg.ClientBase, row: UnclaimedRow): Promise<void> {
  const { rowCount } = await client.query({
    ...CREDIT,
    values: [...valuesOf(row), ...CREDITS.values({ confirmations: row.item.confirmations })],
  });
  if (rowCount !== 1) throw new Error(`intent ${row.item.intentId} or the claim of its money was taken meanwhile`);
}

const ENDS = namedParameters(
  {
    foreign_transaction_id: 'text',
    transaction_split_id: 'text',
    fee_amount: 'numeric',
    refund_amount: 'numeric',
    splits: 'jsonb',
    part_position: 'integer',
  },
  GIVEN.next,
);

const MISMATCH = {
  name: 'insert-mismatched-payment',
  text: `
    with ${CLAIMED},
    ${insertPayment({ ...PAYMENT, ...ENDS.at, paid_amount: cap, status: SETTLEMENT_STATUS.completed }, 'claimed')}
    select number, ${PAYMENT.usd_per_token_atto} as usd_per_token_atto from written_settlement`,
};

/** What the database knew of the payment. */
export type MismatchedRow = { readonly settlementNumber: number; readonly usdPerToken: Usd | null };

/** `counts`: towards the sum of the acceptance. The intent is not changed. Throws when the claim is taken. */
export async function insertMismatchedPayment(
  client: pg.ClientBase,
  row: UnclaimedRow,
  {
    transactionId,
    logIndex,
    counts,
  }: { readonly transactionId: string; readonly logIndex: number; readonly counts: boolean },
): Promise<MismatchedRow> {
  const { feeAmount, returnedAmount, splits } = sharesOf(breakdownOf(row.item));
  const { rows } = await client.query<{ number: string; usd_per_token_atto: string | null }>({
    ...MISMATCH,
    values: [
      ...valuesOf(row),
      ...ENDS.values({
        foreign_transaction_id: transactionId,
        transaction_split_id: `${transactionId}:${logIndex}`,
        fee_amount: feeAmount?.toString() ?? null,
        refund_amount: returnedAmount?.toString() ?? null,
        splits: splitsColumn(splits),
        part_position: counts ? row.position : null,
      }),
    ],
  });
  const [written] = rows;
  if (written === undefined)
    throw new Error(`the claim of the money of intent ${row.item.intentId} was taken meanwhile`);
  const { number, usd_per_token_atto: atto } = written;
  return { settlementNumber: Number(number), usdPerToken: atto === null ? null : usd(BigInt(atto)) };
}

function valuesOf(row: UnclaimedRow): unknown[] {
  const { network: of, item, claimKey, tokenShortcode, direct: isDirect, nowMs } = row;
  return GIVEN.values({
    account_id: item.accountId,
    mode: item.mode,
    intent_id: item.intentId,
    intent_code: item.intentCode.toString(),
    payment_id: item.paymentId,
    claim_key: Buffer.from(claimKey),
    network: of,
    asset: item.asset,
    token_shortcode: tokenShortcode,
    payer: item.payer,
    nonce: bytesOfHex(item.nonce),
    recipient: normalizeAddress(item.processor),
    cap: item.capAtomic.toString(),
    asked: row.askedAtomic.toString(),
    paid_total: row.paidTotalAtomic?.toString() ?? null,
    refund_due_amount: row.refundDueAtomic?.toString() ?? null,
    payout_id: item.payout.id.toString(),
    position: row.position,
    direct: isDirect,
    now: isoTime(nowMs),
  });
}
