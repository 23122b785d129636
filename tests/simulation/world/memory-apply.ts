// What the logs of the simulation mean: a settled payment must be recorded by its lane, and the use of an authorization is
// written with the transfer behind it. The use of a claimed direct authorization completes, holds or fails its payment.
import { type AppliedLog, type ApplyStore, type FinalLog, logKey, type MoneyLog } from '@svc-pay/core';
import { createMemoryApplyStore, ofNetwork, type Statement, type Tables } from '@svc-pay/core/testing';

export type LogEffects = {
  readonly onApplied: (final: FinalLog) => void;
  /** A log that has its proof has no further effect. */
  readonly isUnique: boolean;
};

export function createMemoryApply(
  tables: Tables,
  statement: Statement,
  { onApplied, isUnique }: LogEffects,
): ApplyStore {
  const { readLogs, logProofs, settlements, payments, authorizations } = tables;
  // Within the statement of this store: its answer is no promise.
  const { applyLog: applyNow } = createMemoryApplyStore(tables, ((_name: string, action: () => unknown) =>
    action()) as unknown as Statement);
  /** Undefined where the lane has yet to record the payment. */
  const isRecorded = ({ log }: FinalLog): boolean => {
    if ('nonce' in log) return true;
    const row = [...settlements.values()].find(({ item }) => item.intentCode === log.intentCode);
    if (row === undefined) return true;
    const payment = payments.get(row.item.paymentId);
    // Its money may be given back by now.
    const isPaid = payment?.status === 'completed' || payment?.status === 'refunded';
    return isPaid && payment.transactionId === log.position.transactionId;
  };
  const isOfDirect = (log: MoneyLog): boolean =>
    'nonce' in log &&
    [...authorizations.values()].some(
      ({ direct, payer, nonce }) => direct !== undefined && payer === log.payer && nonce === log.nonce,
    );
  return {
    dropRecorded: (network, logs) =>
      statement('dropRecorded', () =>
        logs.filter(({ position }) => {
          const key = ofNetwork(network, logKey(position));
          if (!isUnique || !logProofs.has(key)) return true;
          readLogs.delete(key);
          return false;
        }),
      ),
    applyLog: (network, final, nowMs) =>
      statement('applyLog', () => {
        const { log } = final;
        const key = ofNetwork(network, logKey(log.position));
        const row = readLogs.get(key);
        if (
          isUnique &&
          (row === undefined || logProofs.has(key) || row.position.blockHash !== log.position.blockHash)
        ) {
          if (logProofs.has(key)) readLogs.delete(key);
          return { outcome: 'ignored', reason: 'applied before' };
        }
        if (!isRecorded(final)) return { outcome: 'waits', reason: 'lane' };
        const applied: AppliedLog = isOfDirect(final.log)
          ? (applyNow(network, final, nowMs) as unknown as AppliedLog)
          : { outcome: 'ignored', reason: 'simulated' };
        if (applied.outcome === 'waits') return applied;
        logProofs.set(key, final);
        readLogs.delete(key);
        onApplied(final);
        return applied;
      }),
  };
}
