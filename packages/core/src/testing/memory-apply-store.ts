// ApplyStore in memory: what a final log means for payments and intents.
import { createHash } from 'node:crypto';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import {
  type AppliedLog,
  type ApplyStore,
  type AuthorizationLog,
  type ClaimedFacts,
  claimKey,
  differingFields,
  directEvidence,
  foreignCompletion,
  isRevivable,
  judgeCancellation,
  judgeClaimedUse,
  judgeReceipt,
  logKey,
  type MoneyLog,
  normalizeAddress,
  type ProcessorLog,
} from '../index.ts';
import {
  type Applying,
  closeRefused,
  countRead,
  earlierParts,
  intentOfCode,
  policyOf,
  storeReceipt,
  transferIndex,
  useFacts,
} from './memory-applying.ts';
import { proofKey } from './memory-direct-tables.ts';
import { applyLanding } from './memory-landing.ts';
import {
  beforesOf,
  failures,
  moveSettlements,
  revertedBatchesOf,
  writePaymentResults,
} from './memory-payment-results.ts';
import { ofNetwork } from './memory-reader-tables.ts';
import {
  type AuthorizationRow,
  hexKey,
  itemOf,
  type SettlementRow,
  type Statement,
  type Tables,
} from './memory-tables.ts';
import { writeMoney } from './memory-unclaimed-payment.ts';

export function createMemoryApplyStore(tables: Tables, statement: Statement): ApplyStore {
  return {
    dropRecorded: (network, logs) =>
      statement('dropRecorded', () => logs.filter((log) => !dropRecorded(tables, network, log))),
    applyLog: (network, final, nowMs) =>
      statement('applyLog', () => {
        const { position } = final.log;
        const key = ofNetwork(network, logKey(position));
        if (tables.readLogs.get(key)?.position.blockHash !== position.blockHash)
          return { outcome: 'ignored', reason: 'gone' };
        const applied = apply({ tables, network, final, nowMs });
        if (applied.outcome === 'recorded') countRead(tables, network, position.transactionId, applied.paymentId);
        if (applied.outcome !== 'waits') tables.readLogs.delete(key);
        return applied;
      }),
  };
}

function apply(applying: Applying): AppliedLog {
  const { tables, network, final } = applying;
  const { log } = final;
  if ('nonce' in log) return applyUse(applying, log);
  const proof = tables.proofs.get(proofKey(network, log.position.transactionId, log.position.logIndex));
  if (proof !== undefined)
    return proof.paymentId === null
      ? { outcome: 'unattributed', reason: proof.reason ?? '' }
      : recordedAs(tables, log, proof.paymentId);
  if (log.event === 'payment_received') return applyReceipt(applying, log);
  return intentOfCode(tables, log.intentCode) === undefined || !isOwnPayout(tables, log)
    ? { outcome: 'ignored', reason: 'not_ours' }
    : { outcome: 'waits', reason: 'lane' };
}

/** True if the log was recorded, and is deleted. */
function dropRecorded(tables: Tables, network: NetworkId, log: MoneyLog): boolean {
  const { transactionId, logIndex } = log.position;
  const key = ofNetwork(network, logKey(log.position));
  if (!tables.readLogs.has(key) || log.event === 'authorization_canceled') return false;
  const paymentId =
    'nonce' in log
      ? claimOf(tables, keyOf(network, log))?.paymentId
      : tables.proofs.get(proofKey(network, transactionId, logIndex))?.paymentId;
  const payment = tables.payments.get(paymentId ?? '');
  if (payment?.transactionId !== transactionId || payment.status !== 'completed') return false;
  if (!('nonce' in log) && recordedAs(tables, log, payment.id).outcome === 'differs') return false;
  tables.readLogs.delete(key);
  countRead(tables, network, transactionId, payment.id);
  return true;
}

function recordedAs(tables: Tables, log: ProcessorLog, paymentId: string): AppliedLog {
  const item = tables.settlements.get(paymentId)?.item;
  const fields = item === undefined ? [] : differingFields(log, { ...item, paidAtomic: item.settledAtomic });
  return fields.length === 0
    ? { outcome: 'recorded', paymentId }
    : { outcome: 'differs', paymentId, reason: fields.join() };
}

const keyOf = (network: NetworkId, { address, payer, nonce }: AuthorizationLog) =>
  hexKey(claimKey({ network, asset: address, payer, uniquePart: nonce }));

function claimOf({ authorizations, unsubmitted }: Tables, key: string) {
  const signed: AuthorizationRow | undefined = authorizations.get(key);
  const other = unsubmitted.get(key);
  if (signed !== undefined) return { intentId: signed.intentId as string, paymentId: signed.paymentId, signed };
  return other && { ...other, signed: undefined };
}

function applyUse(applying: Applying, log: AuthorizationLog): AppliedLog {
  const { tables, network, nowMs } = applying;
  const key = keyOf(network, log);
  const claim = claimOf(tables, key);
  if (claim === undefined) return applyLanding(applying, log, key);
  const { paymentId, intentId, signed } = claim;
  const settlement = tables.settlements.get(paymentId ?? '');
  if (paymentId === null || settlement === undefined) return { outcome: 'ignored', reason: 'processor_payment' };
  const facts = claimedFacts(tables, settlement, signed, log);
  const step =
    log.event === 'authorization_canceled' ? judgeCancellation(facts) : judgeClaimedUse(facts, useFacts(applying));
  if (step.step === 'wait') return { outcome: 'waits', reason: 'lane' };
  if (step.step === 'recorded') return { outcome: 'recorded', paymentId };
  if (step.step === 'ignore') return { outcome: 'ignored', reason: step.reason };
  const ids = { intentId, paymentId };
  if (step.step === 'unattributed') return storeReceipt(applying, step.reason);
  const item = itemOf(settlement);
  if (step.step === 'hold') {
    moveSettlements(tables, [item], 'queued', 'held');
    tables.heldForMerchant.set(paymentId, true);
    settlement.refusal = null;
    storeReceipt(applying, step.reason);
    return { outcome: 'held', ...ids, reason: step.reason };
  }
  const origin = { requestId: newId('batch', nowMs), nowMs };
  if (step.step === 'fail') {
    writePaymentResults(tables, failures(tables, [{ item, code: step.code }], null, origin), step.from);
  } else {
    const before = beforesOf(tables, [item]).get(item.intentId);
    const evidence = directEvidence(network, log.position.transactionId, transferIndex(applying));
    writePaymentResults(tables, [foreignCompletion(before, item, evidence, origin)], step.from);
  }
  if (signed !== undefined) signed.closedAtMs ??= nowMs;
  closeRefused(tables, key, nowMs);
  return step.step === 'fail' ? { outcome: 'failed', ...ids, reason: step.reason } : { outcome: 'completed', ...ids };
}

function claimedFacts(
  { payments, batches }: Tables,
  { item, status, batchId }: SettlementRow,
  signed: AuthorizationRow | undefined,
  { payer }: AuthorizationLog,
): ClaimedFacts {
  return {
    settlement: status,
    direct: item.payout.direct !== undefined,
    signed: { payer, wallet: item.processor, amountAtomic: item.capAtomic },
    bound: signed?.direct?.bound ?? false,
    unusedAtBlock: signed?.direct?.unusedAtBlock ?? null,
    use: item.payout.direct?.use ?? 'shared',
    payoutWithdrawn: false,
    transactionId: payments.get(item.paymentId)?.transactionId ?? null,
    provisional: (batches.get(batchId ?? '')?.status ?? 'finalized') !== 'finalized',
  };
}

const isOwnPayout = ({ acceptances }: Tables, { address, payoutId }: ProcessorLog): boolean =>
  [...acceptances.values()]
    .flat()
    .some((offered) => normalizeAddress(offered.payTo) === address && offered.payoutId === payoutId);

function applyReceipt(applying: Applying, log: ProcessorLog): AppliedLog {
  const { tables, network, final, nowMs } = applying;
  const row = intentOfCode(tables, log.intentCode);
  const settlement = tables.settlements.get(row?.paymentId ?? '');
  const item = settlement && itemOf(settlement);
  const step = judgeReceipt(log, {
    network,
    blockTimeMs: Number(final.blockTimeSeconds) * 1_000,
    intent: row?.intent,
    acceptances: tables.acceptances.get(row?.intent.id ?? '') ?? [],
    policy: policyOf(tables, row),
    earlierParts: earlierParts(tables, row?.intent.id),
    isOwnPayout: isOwnPayout(tables, log),
    pending:
      settlement && item
        ? {
            settlement: settlement.status,
            direct: item.payout.direct !== undefined,
            revivable: isRevivable(item, revertedBatchesOf(tables, [item])),
          }
        : undefined,
  });
  if (step.step === 'ignore') return { outcome: 'ignored', reason: step.reason };
  if (step.step === 'unattributed' || row === undefined)
    return storeReceipt(applying, step.step === 'unattributed' ? step.reason : 'unknown_intent');
  if (step.step === 'credit' && step.removes && item !== undefined) {
    const origin = { requestId: newId('batch', nowMs), nowMs: Math.min(nowMs, row.intent.expiresAtMs - 1) };
    writePaymentResults(tables, failures(tables, [{ item, code: 'intent_not_payable' }], null, origin), 'queued');
  }
  const { transactionId, logIndex } = log.position;
  if (final.received === undefined) throw new Error(`the receipt of ${transactionId} was not read`);
  const key = createHash('sha256')
    .update(JSON.stringify(['pay', network, transactionId, logIndex]))
    .digest('hex');
  const evidence = { network, transactionId, logIndex, feeAtomic: log.feeAtomic, ...final.received };
  const { payer, amountAtomic } = log;
  const { acceptance } = step;
  return writeMoney(applying, { row, acceptance, payer, amountAtomic, nonce: transactionId, key, evidence }, step);
}
