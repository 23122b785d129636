// What a transfer of a token ledger means, in memory.
import { createHash } from 'node:crypto';
import {
  type AppliedMovement,
  blockName,
  type IcrcTransfer,
  isRemovable,
  isRevivable,
  judgeMoney,
  ownerOf,
  precedesIntent,
  receiptIndex,
  type StoredAcceptance,
} from '../index.ts';
import { earlierParts, intentOfCode, policyOf } from './memory-applying.ts';
import { type MemoryProof, proofKey } from './memory-direct-tables.ts';
import { failures, revertedBatchesOf, writePaymentResults } from './memory-payment-results.ts';
import { ofNetwork } from './memory-reader-tables.ts';
import { type IntentRow, itemOf, type Tables } from './memory-tables.ts';
import { writeMoney } from './memory-unclaimed-payment.ts';

const LOG_INDEX = 0;

export function applyTransfer(tables: Tables, transfer: IcrcTransfer, nowMs: number): AppliedMovement {
  const { network } = transfer;
  const key = ofNetwork(network, blockName(transfer));
  const proofAt = (logIndex: number) => tables.proofs.get(proofKey(network, blockName(transfer), logIndex));
  const known = proofAt(LOG_INDEX) ?? proofAt(receiptIndex(transfer.intentCode));
  if (!tables.icrcTransfers.has(key))
    return known === undefined ? { outcome: 'ignored', reason: 'not_kept' } : countedAs(known);
  const applied = known === undefined ? applyMoney(tables, transfer, nowMs) : countedAs(known);
  tables.icrcTransfers.delete(key);
  return applied;
}

function countedAs({ paymentId, refundId, reason }: MemoryProof): AppliedMovement {
  if (refundId !== undefined) return { outcome: 'ignored', reason: 'refund' };
  return paymentId === null ? { outcome: 'unattributed', reason: reason ?? '' } : { outcome: 'recorded', paymentId };
}

function applyMoney(tables: Tables, transfer: IcrcTransfer, nowMs: number): AppliedMovement {
  const { network, intentCode, from, amountAtomic, blockTimeMs } = transfer;
  const row = intentOfCode(tables, intentCode);
  if (row === undefined || precedesIntent(blockTimeMs, row.intent.createdAtMs))
    return strayMoney(tables, transfer, 'unknown_intent');
  const acceptance = findPaid(tables, transfer, row);
  if (acceptance === undefined) return strayMoney(tables, transfer, 'other_terms');
  const settlement = tables.settlements.get(row.paymentId ?? '');
  const item = settlement && itemOf(settlement);
  const pending = settlement &&
    item && {
      settlement: settlement.status,
      direct: item.payout.direct !== undefined,
      revivable: isRevivable(item, revertedBatchesOf(tables, [item])),
    };
  const step = judgeMoney(
    {
      intent: row.intent,
      acceptance,
      policy: policyOf(tables, row),
      earlierAtomic: earlierParts(tables, row.intent.id).get(acceptance.position) ?? 0n,
      removable: isRemovable(pending),
    },
    { payer: ownerOf(from), blockTimeMs, amountAtomic },
  );
  if (step.step === 'unattributed') return setAside(tables, transfer, step.reason, row.intent.id);
  const origin = { requestId: row.intent.id, nowMs: Math.min(nowMs, row.intent.expiresAtMs - 1) };
  if (step.step === 'credit' && step.removes && item !== undefined)
    writePaymentResults(tables, failures(tables, [{ item, code: 'intent_not_payable' }], null, origin), 'queued');
  const transactionId = blockName(transfer);
  const key = createHash('sha256')
    .update(JSON.stringify(['memo', network, transactionId]))
    .digest('hex');
  const indexes = { logIndex: LOG_INDEX, transferLogIndex: LOG_INDEX };
  const evidence = { network, transactionId, ...indexes, feeAtomic: 0n, feeRecipient: '', escrowedFor: [] };
  const money = { row, acceptance, payer: from, amountAtomic, nonce: `0x${key}`, key, evidence };
  return writeMoney({ tables, network, nowMs }, money, step);
}

/** The acceptance of the ledger and the account; of several that with the amount. Its payout decides whose account it is. */
function findPaid(
  { acceptances, icrcPayouts }: Tables,
  { network, ledger, to, amountAtomic }: IcrcTransfer,
  { intent }: IntentRow,
): StoredAcceptance | undefined {
  const fitting = (acceptances.get(intent.id) ?? []).filter(
    (terms) =>
      terms.network === network && terms.token.address === ledger && terms.payTo === to && terms.scheme === 'exact',
  );
  const terms = fitting.find(({ amount }) => amount === amountAtomic) ?? fitting[0];
  const isOwn = icrcPayouts.some(
    (payout) =>
      payout.accountId === intent.accountId &&
      payout.mode === intent.mode &&
      payout.network === network &&
      payout.payoutId === terms?.payoutId &&
      payout.merchant === to,
  );
  return isOwn && terms !== undefined ? { ...terms, shares: { merchant: to, feeBps: 0, splits: [] } } : undefined;
}

/** Money that reached a merchant with a memo of ours is shown, though it pays no intent. */
function strayMoney(tables: Tables, transfer: IcrcTransfer, reason: string): AppliedMovement {
  const { network, to } = transfer;
  const isOurs = tables.icrcPayouts.some((payout) => payout.network === network && payout.merchant === to);
  return isOurs ? setAside(tables, transfer, reason) : { outcome: 'ignored', reason: 'no_payout' };
}

/** A receipt that is there stays as it is. */
function setAside({ proofs }: Tables, transfer: IcrcTransfer, reason: string, intentId?: string): AppliedMovement {
  const { network, intentCode, to: merchant } = transfer;
  const [transactionId, logIndex] = [blockName(transfer), receiptIndex(intentCode)];
  const key = proofKey(network, transactionId, logIndex);
  const about = { merchant, ...(intentId !== undefined && { intentId }) };
  if (!proofs.has(key)) proofs.set(key, { transactionId, logIndex, paymentId: null, reason, read: true, about });
  return { outcome: 'unattributed', reason };
}
