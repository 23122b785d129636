// Money that pays no intent: the log and why, for an operator and the merchant to see. It changes nothing else.
import { isoTime, type LogPosition, type LogProof, type MoneyLog } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

/** What stands for a log on a chain without logs. */
export type FoundReceipt = {
  readonly event: 'solana_pay' | 'icrc_transfer';
  /** The token. */
  readonly address: string;
  readonly position: Omit<LogPosition, 'blockHash'>;
};

export type UnattributedReceipt = {
  readonly network: NetworkId;
  readonly mode: 'test' | 'live';
  readonly log: MoneyLog | FoundReceipt;
  /** The log that proves the money: of a direct payment the token's transfer. */
  readonly logIndex: number;
  readonly reason: string;
  /** What the log seemed to be for. */
  readonly about: Readonly<Record<string, string>>;
  readonly nowMs: number;
};

/** A log that proves something already is left as it is. */
export async function writeUnattributed(client: pg.ClientBase, receipt: UnattributedReceipt): Promise<void> {
  const { network, mode, log, logIndex, reason, about, nowMs } = receipt;
  await client.query({
    name: 'write-unattributed-receipt',
    text: `
      insert into svc.log_proofs (network, transaction_id, log_index, mode, reason, log, created_at)
      values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    values: [
      network,
      log.position.transactionId,
      logIndex,
      mode,
      reason,
      JSON.stringify({ ...about, ...plainLog(log) }),
      isoTime(nowMs),
    ],
  });
}

/** Of a log that was found to pay an intent. */
export async function deleteUnattributed(
  client: pg.ClientBase,
  { network, transactionId, logIndex }: LogProof,
): Promise<void> {
  await client.query({
    name: 'delete-unattributed-receipt',
    text: `
      delete from svc.log_proofs
      where network = $1 and transaction_id = $2 and log_index = $3 and payment_id is null`,
    values: [network, transactionId, logIndex],
  });
}

export type PaidTransaction = {
  readonly network: NetworkId;
  readonly transactionId: string;
  readonly intentId: string;
  readonly merchant: string;
};

/**
 * Of a transaction without logs that was found to pay an intent: what was told of the intent, and of the same merchant's money
 * for another intent. What another merchant got stays told.
 */
export async function deleteReceiptsOf(
  client: pg.ClientBase,
  { network, transactionId, intentId, merchant }: PaidTransaction,
): Promise<void> {
  await client.query({
    name: 'delete-receipts-of-transaction',
    text: `
      delete from svc.log_proofs
      where network = $1 and transaction_id = $2 and payment_id is null
        and (log ->> 'intentId' = $3 or log ->> 'merchant' = $4)`,
    values: [network, transactionId, intentId, merchant],
  });
}

function plainLog({ position, ...fields }: MoneyLog | FoundReceipt): object {
  const plain = Object.entries({ ...fields, ...position }).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? value.toString() : value,
  ]);
  return Object.fromEntries(plain);
}
