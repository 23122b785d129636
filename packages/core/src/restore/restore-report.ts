// Report of restoring one network, for the operator.
import type { BlockRange } from './restore-chain.ts';
import type { RestoredTransaction } from './restore-store.ts';

type ReportedPayment = {
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

export type NetworkRestore = {
  readonly network: string;
  readonly fromBlock: string;
  readonly toBlock: string;
  /** Transactions on the chain, and how many of them the database lacked. */
  transactions: number;
  restoredTransactions: number;
  /** Payments completed by this restore: the payment or its intent was still open in the backup. */
  completedPayments: number;
  /** Mined transactions without enough confirmations: the lanes complete them later. */
  unconfirmedTransactions: number;
  /** Payments whose intents were lost: this run or an earlier one made placeholder intents from the chain's data. */
  readonly adopted: ReportedPayment[];
  /** Payments whose books contradict the chain: an operator must decide. */
  readonly refused: ReportedPayment[];
  /** Transactions that settled or returned stranded transfers; they are not restored. */
  readonly notRebuilt: string[];
  /** Used nonces whose transaction no node could return. */
  readonly silentNonces: string[];
  /** `nonceBefore` is null for a key that was first used after the backup. */
  readonly lanes: { readonly relayer: string; readonly nonceBefore: string | null; readonly nextNonce: string }[];
};

export function newReport(network: string, { fromBlock, toBlock }: BlockRange): NetworkRestore {
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

export function addTransaction(report: NetworkRestore, transactionId: string, restored: RestoredTransaction): void {
  if (restored.batch === 'missing') report.restoredTransactions += 1;
  for (const { carried, outcome, standIn, intentId, accountId, reason } of restored.payments) {
    const told: ReportedPayment = {
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
