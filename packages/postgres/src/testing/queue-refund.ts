// A refund of all that a final payment has left, signed and in the queue of the lanes, as the API submits it.
import { isoTime, REFUND_VALIDITY_SECONDS } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { refundNonce } from '@svc-pay/protocol/refund-nonce';
import type pg from 'pg';
import { loadInstallationId } from '../database/load-installation.ts';

export type RefundToQueue = {
  /** All that is left by default. */
  readonly amount?: bigint;
  /** The payout's merchant by default. */
  readonly wallet?: string;
  readonly recipient?: string;
  /** 0x-hex; signed by nobody by default. */
  readonly sign?: (terms: RefundToSign) => Promise<string>;
  readonly byContract?: boolean;
  readonly validBeforeSeconds?: bigint;
};

export type RefundToSign = {
  readonly wallet: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly validBeforeSeconds: bigint;
  readonly nonce: string;
  readonly asset: string;
};

type PaidRow = {
  readonly account_id: string;
  readonly mode: 'test' | 'live';
  readonly network: NetworkId;
  readonly asset: string;
  readonly payer: string;
  readonly paid: string;
  readonly merchant: string;
  readonly left: string | null;
  readonly sequence: number;
};

const PAID = `
  select p.account_id, p.mode, p.network, p.asset, p.payer, p.paid_amount as paid, payout.merchant,
    t.paid - t.refunded - t.reserved as left, coalesce(t.last_sequence, 0) + 1 as sequence
  from svc.payments p
  join svc.settlements s on s.payment_id = p.id
  join svc.payouts payout on payout.network = s.network and payout.payout_id = s.payout_id and payout.account_id = p.account_id
  left join svc.refund_totals t on t.payment_id = p.id
  where p.id = $1 limit 1`;

export async function queueRefund(
  pool: pg.Pool,
  paymentId: string,
  nowMs: number,
  given: RefundToQueue = {},
): Promise<string> {
  const { rows } = await pool.query<PaidRow>(PAID, [paymentId]);
  const [paid] = rows;
  if (paid === undefined) throw new Error(`no paid payment ${paymentId}`);
  const { network, asset, mode, sequence } = paid;
  const wallet = given.wallet ?? paid.merchant;
  const recipient = given.recipient ?? paid.payer;
  const amount = given.amount ?? BigInt(paid.left ?? paid.paid);
  const installation = await loadInstallationId(pool);
  const nonce = refundNonce({ installation, mode, network, token: asset, wallet, paymentId, sequence });
  const id = newId('refund', nowMs);
  const nowSeconds = BigInt(Math.floor(nowMs / 1_000));
  const validBeforeSeconds = given.validBeforeSeconds ?? nowSeconds + BigInt(REFUND_VALIDITY_SECONDS);
  const terms = { wallet, recipient, amount, validBeforeSeconds, nonce, asset };
  const signature = (await given.sign?.(terms)) ?? `0x${'1b'.repeat(65)}`;
  const row = {
    account_id: paid.account_id,
    mode,
    id,
    payment_id: paymentId,
    kind: 'authorization',
    sequence,
    amount: amount.toString(),
    wallet,
    recipient,
    nonce: `\\${nonce.slice(1)}`,
    valid_after: '0',
    valid_before: validBeforeSeconds.toString(),
    expires_at: isoTime(nowMs + REFUND_VALIDITY_SECONDS * 1_000),
  };
  const at = isoTime(nowMs);
  await done(pool, 'svc.prepare_refund($1, $2)', [JSON.stringify(row), at]);
  const signed = Buffer.from(signature.slice(2), 'hex');
  const values = [paid.account_id, mode, id, signed, given.byContract ?? false, at];
  await done(pool, 'svc.submit_refund($1, $2, $3, $4, $5, $6)', values);
  return id;
}

async function done(pool: pg.Pool, call: string, values: readonly unknown[]): Promise<void> {
  const { rows } = await pool.query<{ refusal: string | null }>(`select ${call} as refusal`, [...values]);
  const refusal = rows[0]?.refusal ?? null;
  if (refusal !== null) throw new Error(`the refund is refused: ${refusal}`);
}
