// What recovering one network did, for the operator to read.
import type { BlockRange } from '@svc-pay/evm';
import type { RestoredTransaction } from '@svc-pay/postgres/recover';

type RecoveredPayment = {
  readonly intentCode: string;
  readonly transactionId: string;
  readonly payer: string;
  readonly token: string;
  readonly capAtomic: string;
  readonly settledAtomic: string;
  readonly payoutId: string;
  readonly intentId: string | null;
  readonly accountId: string | null;
  readonly reason?: string;
};

export type NetworkRecovery = {
  readonly network: string;
  readonly fromBlock: string;
  readonly toBlock: string;
  /** Transactions that the chain has, and how many of them the database did not. */
  transactions: number;
  restoredTransactions: number;
  /** Payments that are completed now and were not: they waited, or their intent did. */
  completedPayments: number;
  /** Mined, and waiting for more blocks: the lanes complete them. */
  unconfirmedTransactions: number;
  /** Their intents were lost; stand-ins were made of what the chain says, in this run or one before. */
  readonly adopted: RecoveredPayment[];
  /** The books contradict the chain: a person must look. */
  readonly refused: RecoveredPayment[];
  /** Transactions that settled or returned stranded money, which are not rebuilt. */
  readonly notRebuilt: string[];
  /** Used-up nonces whose transaction no node could tell. */
  readonly silentNonces: string[];
  /** `nonceBefore` is null for a key that began after the backup. */
  readonly lanes: { readonly relayer: string; readonly nonceBefore: string | null; readonly nextNonce: string }[];
};

export function newReport(network: string, { fromBlock, toBlock }: BlockRange): NetworkRecovery {
  return {
    network,
    fromBlock: fromBlock.toString(),
    toBlock: toBlock.toString(),
    transactions: 0,
    restoredTransactions: 0,
    completedPayments: 0,
    unconfirmedTransactions: 0,
    adopted: [],
    refused: [],
    notRebuilt: [],
    silentNonces: [],
    lanes: [],
  };
}

export function addTransaction(report: NetworkRecovery, transactionId: string, restored: RestoredTransaction): void {
  if (restored.batch === 'missing') report.restoredTransactions += 1;
  for (const { carried, outcome, standIn, intentId, accountId, reason } of restored.payments) {
    const told: RecoveredPayment = {
      intentCode: carried.intentCode.toString(),
      transactionId,
      payer: carried.payer,
      token: carried.asset,
      capAtomic: carried.capAtomic.toString(),
      settledAtomic: carried.settledAtomic.toString(),
      payoutId: carried.payoutId.toString(),
      intentId,
      accountId,
      ...(reason !== undefined && { reason }),
    };
    if (outcome === 'refused') report.refused.push(told);
    else if (standIn) report.adopted.push(told);
  }
}
