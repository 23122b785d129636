// A log that is being applied in memory, and what its decisions share.
import type { NetworkId } from '@svc-pay/protocol';
import {
  type AppliedLog,
  DEFAULT_MISMATCH_POLICY,
  type FinalLog,
  type MismatchPolicy,
  type UseFacts,
} from '../index.ts';
import { proofKey } from './memory-direct-tables.ts';
import { hexKey, type IntentRow, type Tables } from './memory-tables.ts';

export type Applying = {
  readonly tables: Tables;
  readonly network: NetworkId;
  readonly final: FinalLog;
  readonly nowMs: number;
};

function ownBatch({ batches }: Tables, network: string, transactionId: string) {
  return [...batches.values()].find(
    (batch) => batch.network === network && batch.transactions.some((own) => own.transactionId === transactionId),
  );
}

export const intentOfCode = ({ intents }: Tables, code: bigint): IntentRow | undefined =>
  [...intents.values()].find(({ intent }) => BigInt(intent.intentCode) === code);

export function useFacts({ tables, network, final: { transfer, log } }: Applying): UseFacts {
  const { transactionId, blockNumber } = log.position;
  return {
    transactionId,
    blockNumber,
    transfer,
    ownTransaction: ownBatch(tables, network, transactionId) !== undefined,
    transferTaken: transfer !== undefined && tables.proofs.has(proofKey(network, transactionId, transfer.logIndex)),
  };
}

export function transferIndex({ final: { transfer } }: Applying): number {
  if (transfer === undefined) throw new Error('the use moved nothing');
  return transfer.logIndex;
}

/** Of a direct payment the receipt is its transfer. */
export function storeReceipt({ tables, network, final: { transfer, log } }: Applying, reason: string): AppliedLog {
  const { transactionId } = log.position;
  const logIndex = transfer?.logIndex ?? log.position.logIndex;
  const key = proofKey(network, transactionId, logIndex);
  if (!tables.proofs.has(key)) tables.proofs.set(key, { transactionId, logIndex, paymentId: null, reason, read: true });
  return { outcome: 'unattributed', reason };
}

/** A log of a lane is counted once, when it is read. */
export function countRead(tables: Tables, network: string, transactionId: string, paymentId: string): void {
  const batch = ownBatch(tables, network, transactionId);
  for (const proof of tables.proofs.values()) {
    if (proof.transactionId !== transactionId || proof.paymentId !== paymentId || proof.read) continue;
    proof.read = true;
    if (batch !== undefined) tables.logsRead.set(batch.id, (tables.logsRead.get(batch.id) ?? 0) + 1);
  }
}

export function closeRefused({ refused }: Tables, key: string, nowMs: number): void {
  for (const row of refused.values()) if (hexKey(row.claimKey) === key) row.closedAtMs ??= nowMs;
}

export const policyOf = ({ policies }: Tables, row: IntentRow | undefined): MismatchPolicy =>
  policies.get(row?.intent.accountId ?? '') ?? DEFAULT_MISMATCH_POLICY;

/** Sum of the parts of the intent, by the position of their acceptance. What was or is being refunded does not count. */
export function earlierParts(
  { parts, payments, refundTotals }: Tables,
  intentId: string | undefined,
): ReadonlyMap<number, bigint> {
  const sums = new Map<number, bigint>();
  for (const { position, paymentId, ...part } of parts) {
    if (part.intentId !== intentId) continue;
    const { refundedAtomic = 0n, reservedAtomic = 0n } = refundTotals.get(paymentId) ?? {};
    const counted = (payments.get(paymentId)?.paidAmount ?? 0n) - refundedAtomic - reservedAtomic;
    sums.set(position, (sums.get(position) ?? 0n) + counted);
  }
  return sums;
}
