// Loads what the database has under an on-chain transaction's id and nonce, and writes the decided batch.
import {
  BATCH_STATUS,
  BATCH_TRANSITIONS,
  type BatchFacts,
  decideRestoredBatch,
  GIVEN_UP_BATCH,
  isoTime,
  type LaneLease,
  type OnChainTransaction,
  RESTORED_BATCH,
  REVIVED_BATCH,
  type RestoredTransaction,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { sqlIs, sqlIsNot, sqlStatus, sqlStep } from '../database/status-sql.ts';
import { giveUpBatch } from '../lane/record-replaced.ts';

const REVIVED = sqlStep(BATCH_TRANSITIONS, BATCH_STATUS.replaced, REVIVED_BATCH);

export type RestoredBatch = { readonly id: string; readonly was: RestoredTransaction['batch'] };

/** Runs in the caller's transaction, which must have checked the lease. */
export async function restoreBatch(
  client: pg.ClientBase,
  lease: LaneLease,
  onChain: OnChainTransaction,
  nowMs: number,
  // Nothing of a refund is restored but its batch.
  itemCount = onChain.form === 'refund' ? 1 : onChain.carried.length,
): Promise<RestoredBatch> {
  const decided = decideRestoredBatch(onChain, await loadFacts(client, onChain));
  if (decided.step === 'contradiction') throw new Error(decided.reason);
  if (decided.step === 'keep') return { id: decided.batchId, was: decided.was };
  if (decided.step === 'add_transaction') {
    await addTransaction(client, decided.batchId, onChain, nowMs);
    return { id: decided.batchId, was: 'pending' };
  }
  if (decided.giveUp !== undefined) await giveUpBatch(client, decided.giveUp, nowMs);
  if (decided.step === 'revive') {
    await revive(client, lease, onChain, decided.batchId, nowMs);
    return { id: decided.batchId, was: 'missing' };
  }
  const id = newId('batch', nowMs);
  await client.query(
    `insert into svc.batches (
       id, network, relayer, mode, nonce, epoch, status, item_count, transaction_id, created_at, updated_at
     )
     select $3, network, address, mode, $4, $5, ${sqlStatus(RESTORED_BATCH)}, $6, $7, $8, $8
     from svc.relayers where network = $1 and address = $2`,
    [
      onChain.network,
      onChain.relayer,
      id,
      onChain.nonce.toString(),
      lease.epoch.toString(),
      itemCount,
      onChain.transactionId,
      isoTime(nowMs),
    ],
  );
  await addTransaction(client, id, onChain, nowMs);
  return { id, was: 'missing' };
}

async function revive(
  client: pg.ClientBase,
  { epoch }: LaneLease,
  { nonce, transactionId }: OnChainTransaction,
  batchId: string,
  nowMs: number,
): Promise<void> {
  const { rowCount } = await client.query(
    `update svc.batches
     set status = ${REVIVED.to}, nonce = $2, epoch = $3, transaction_id = $4, linked_transaction_id = null, updated_at = $5
     where id = $1 and status ${REVIVED.from}`,
    [batchId, nonce.toString(), epoch.toString(), transactionId, isoTime(nowMs)],
  );
  if (rowCount !== 1) throw new Error(`batch ${batchId} is no longer ${BATCH_STATUS.replaced}`);
}

type Status = NonNullable<BatchFacts['ofNonce']>['status'];
type Row = { readonly id: string; readonly status: Status; readonly transactionId: string };

async function loadFacts(client: pg.ClientBase, onChain: OnChainTransaction): Promise<BatchFacts> {
  const { network, relayer, nonce, transactionId } = onChain;
  const known = await client.query<Row & { readonly givenUp: boolean }>(
    `select b.id, b.status, b.transaction_id as "transactionId", b.status ${sqlIs(...GIVEN_UP_BATCH)} as "givenUp"
     from svc.batch_transactions t join svc.batches b on b.id = t.batch_id
     where t.network = $1 and t.transaction_id = $2`,
    [network, transactionId],
  );
  const beside = await client.query<Row & { readonly codes: readonly string[] }>(
    `select b.id, b.status, b.transaction_id as "transactionId",
       array(select intent_code::text from svc.settlements where batch_id = b.id) as codes
     from svc.batches b
     where network = $1 and relayer = $2 and nonce = $3 and status ${sqlIsNot(...GIVEN_UP_BATCH)}`,
    [network, relayer, nonce.toString()],
  );
  const [ofNonce] = beside.rows;
  return {
    ofTransaction: known.rows.find(({ givenUp }) => !givenUp),
    givenUp: known.rows.find(({ givenUp }) => givenUp)?.id,
    ofNonce: ofNonce && { ...ofNonce, intentCodes: ofNonce.codes.map(BigInt) },
  };
}

export async function hasTransaction(pool: pg.Pool, network: NetworkId, transactionId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from svc.batch_transactions t join svc.batches b on b.id = t.batch_id
     where t.network = $1 and t.transaction_id = $2 and b.status ${sqlIsNot(...GIVEN_UP_BATCH)}`,
    [network, transactionId],
  );
  return rowCount === 1;
}

async function addTransaction(
  client: pg.ClientBase,
  batchId: string,
  { network, transactionId, raw }: OnChainTransaction,
  nowMs: number,
): Promise<void> {
  await client.query(
    `insert into svc.batch_transactions (network, transaction_id, batch_id, mode, raw_transaction, created_at)
     select $1, $2, id, mode, $4, $5 from svc.batches where id = $3`,
    [network, transactionId, batchId, Buffer.from(raw), isoTime(nowMs)],
  );
}
