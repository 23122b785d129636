// ApplyStore over Postgres.
import type { AppliedLog, ApplyStore, CheckUsedPayout, FinalLog, ProcessorLog } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { findActivated } from './activated-payouts.ts';
import { applyReceipt, findPayoutMode } from './apply-receipt.ts';
import { applyUse } from './apply-use.ts';
import { countRecorded } from './count-read.ts';
import { dropRecorded } from './drop-recorded.ts';
import { deleteLog, findIntentOfCode, lockLog } from './lock-for-apply.ts';
import { compareRecorded } from './recorded-payment.ts';
import type { UseToApply } from './use-to-apply.ts';

export function createApplyStore(pool: pg.Pool, checkPayout: CheckUsedPayout): ApplyStore {
  return {
    dropRecorded: (network, logs) => dropRecorded(pool, network, logs),
    applyLog: (network, final, nowMs) => applyLog(pool, checkPayout, network, final, nowMs),
  };
}

async function applyLog(
  pool: pg.Pool,
  checkPayout: CheckUsedPayout,
  network: NetworkId,
  final: FinalLog,
  nowMs: number,
): Promise<AppliedLog> {
  const { log, transfer } = final;
  const { position } = log;
  const paid = transfer && { asset: log.address, wallet: transfer.to };
  const activated = paid === undefined ? NONE : await findActivated(pool, network, paid, checkPayout);
  if (activated === 'unknown') return { outcome: 'waits', reason: 'payout' };
  return inTransaction(pool, async (client) => {
    const row = await lockLog(client, network, position);
    if (row === 'gone') return { outcome: 'ignored', reason: 'gone' };
    if (row === 'locked') return { outcome: 'waits', reason: 'locked' };
    const applied = await judge(client, network, final, { activated, nowMs });
    // A lane has recorded it since recorded logs were dropped.
    if (applied.outcome === 'recorded') await countRecorded(client, network, position.transactionId, applied.paymentId);
    if (applied.outcome !== 'waits') await deleteLog(client, network, position);
    return applied;
  });
}

const NONE: ReadonlySet<string> = new Set();

function judge(
  client: pg.ClientBase,
  network: NetworkId,
  final: FinalLog,
  { activated, nowMs }: Pick<UseToApply, 'activated' | 'nowMs'>,
): Promise<AppliedLog> {
  const { log } = final;
  if ('nonce' in log) return applyUse(client, network, { ...final, log }, { activated, nowMs });
  if (log.event === 'payment_received') return applyReceipt(client, network, { ...final, log }, nowMs);
  return checkSettled(client, network, log);
}

/**
 * Only keys with the processor's role settle, and their lanes record what they settled. A log of ours that no lane records
 * stays until it is told; one of an intent code or of a payout that is not ours belongs to another installation.
 */
async function checkSettled(client: pg.ClientBase, network: NetworkId, log: ProcessorLog): Promise<AppliedLog> {
  const recorded = await compareRecorded(client, network, log);
  if (recorded !== undefined) return recorded;
  const owner = await findIntentOfCode(client, log.intentCode);
  if (owner === undefined || (await findPayoutMode(client, network, log)) === undefined)
    return { outcome: 'ignored', reason: 'not_ours' };
  return { outcome: 'waits', reason: 'lane' };
}
