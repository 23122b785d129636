// Counts logs of lanes that the chain reader has read, for the comparison of batches. A log counts once: its proof says that
// it was read, so that one that is read again after a rewind changes nothing.
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

/**
 * SQL of two parts of a `with`, where `recorded` is a part with the network, the transaction and the log index of each proof.
 * Batches are locked in one order: two readers may count logs of the same ones. The network is a column of the sets: planner
 * rule 4.
 */
export const countRead = (recorded: string) => `
    marked as (
      update svc.log_proofs proof set read = true from ${recorded} recorded
      where proof.network = recorded.network and proof.transaction_id = recorded.transaction_id
        and proof.log_index = recorded.proof_index and proof.payment_id is not null and not proof.read
      returning proof.network, proof.transaction_id
    ),
    counted as (
      update svc.batches batch set logs_read = logs_read + found.logs
      from (
        select locked.id, read.logs from (
          select own.batch_id, count(*) as logs from marked
          join svc.batch_transactions own
            on own.network = marked.network and own.transaction_id = marked.transaction_id
          group by own.batch_id
        ) read
        join svc.batches locked on locked.id = read.batch_id
        order by locked.id
        for update of locked
      ) found
      where batch.id = found.id
    )`;

const COUNT_ONE = {
  name: 'count-recorded-log',
  text: `
    with recorded as materialized (
      select network, transaction_id, log_index as proof_index from svc.log_proofs
      where network = $1 and transaction_id = $2 and payment_id = $3
    ), ${countRead('recorded')}
    select`,
};

/** The log of this transaction with which the payment was completed is read. */
export async function countRecorded(
  client: pg.ClientBase,
  network: NetworkId,
  transactionId: string,
  paymentId: string,
): Promise<void> {
  await client.query({ ...COUNT_ONE, values: [network, transactionId, paymentId] });
}
