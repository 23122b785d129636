// The payment that was completed with a log of a processor, beside what the log says.
import { type AppliedLog, differingFields, type ProcessorLog } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

type Row = {
  readonly payment_id: string;
  /** Null, like its neighbours, where the payment is no longer kept. */
  readonly asset: string | null;
  readonly payer: string | null;
  readonly paid_amount: string | null;
  readonly intent_code: string | null;
};

const LOAD = {
  name: 'load-recorded-payment',
  text: `
    select proof.payment_id, payment.asset, payment.payer, payment.paid_amount, intent.intent_code
    from svc.log_proofs proof
    left join svc.payments payment
      on payment.account_id = proof.account_id and payment.mode = proof.mode and payment.id = proof.payment_id
    left join svc.intents intent
      on intent.account_id = payment.account_id and intent.mode = payment.mode and intent.id = payment.intent_id
    where proof.network = $1 and proof.transaction_id = $2 and proof.log_index = $3 and proof.payment_id is not null`,
};

/** Undefined when no payment was completed with the log. */
export async function compareRecorded(
  client: pg.ClientBase,
  network: NetworkId,
  log: ProcessorLog,
): Promise<AppliedLog | undefined> {
  const { transactionId, logIndex } = log.position;
  const { rows } = await client.query<Row>({ ...LOAD, values: [network, transactionId, logIndex] });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { payment_id: paymentId, asset, payer, paid_amount: paid, intent_code: code } = row;
  if (asset === null) return { outcome: 'recorded', paymentId };
  const fields = differingFields(log, {
    asset,
    payer,
    paidAtomic: paid === null ? null : BigInt(paid),
    intentCode: code === null ? null : BigInt(code),
  });
  return fields.length === 0
    ? { outcome: 'recorded', paymentId }
    : { outcome: 'differs', paymentId, reason: fields.join() };
}
