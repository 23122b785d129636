// Report of restoring one network, for the operator.
import type { NetworkId } from '@svc-pay/protocol';
import type { CarriedTransfer, OnChainTransfer } from './on-chain-transfer.ts';
import type { BlockRange } from './restore-chain.ts';
import type { RestoredTransaction, RestoredTransfer } from './restore-store.ts';

type ReportedPayment = {
  /** Null where the chain does not say it. */
  readonly intentCode: string | null;
  readonly transactionId: string;
  readonly payer: string;
  readonly token: string;
  readonly capAtomic: string;
  readonly settledAtomic: string;
  /** Null where no payout fits. */
  readonly payoutId: string | null;
  readonly intentId: string | null;
  readonly accountId: string | null;
  readonly reason?: string;
};

export type NetworkRestore = {
  readonly network: NetworkId;
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
  /** Transactions of ours that moved money and are not restored, and why. */
  readonly notRebuilt: { readonly transactionId: string; readonly reason: string }[];
  /** Used nonces whose transaction no node could return. */
  readonly silentNonces: string[];
  /** Relayers whose transactions were read one by one; empty on networks whose blocks are read. */
  readonly relayers: string[];
  /** The database has no relayer of the network, so nothing of it was read. */
  relayersUnknown: boolean;
  /** First block that the next run reads by itself, because something is left open; null when everything is in the books. */
  readAgainFrom: string | null;
  /** `nonceBefore` is null for a key that was first used after the backup. */
  readonly lanes: { readonly relayer: string; readonly nonceBefore: string | null; readonly nextNonce: string }[];
};

export function newReport(network: NetworkId, { fromBlock, toBlock }: BlockRange): NetworkRestore {
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
    relayers: [],
    relayersUnknown: false,
    readAgainFrom: null,
    lanes: [],
  };
}

export function addTransaction(report: NetworkRestore, transactionId: string, restored: RestoredTransaction): void {
  if (restored.batch === 'missing') report.restoredTransactions += 1;
  for (const { carried, outcome, standIn, intentId, accountId, reason } of restored.payments) {
    const told: ReportedPayment = {
      intentCode: carried.intentCode.toString(),
      transactionId,
      payoutId: carried.payoutId.toString(),
      ...moneyOf(carried),
      intentId,
      accountId,
      ...(reason !== undefined && { reason }),
    };
    if (outcome === 'refused') report.refused.push(told);
    else if (standIn) report.adopted.push(told);
  }
}

export function addTransfer(
  report: NetworkRestore,
  { transactionId, carried }: Pick<OnChainTransfer, 'transactionId' | 'carried'>,
  { batch, payment }: RestoredTransfer,
): void {
  if (batch === 'missing') report.restoredTransactions += 1;
  const { outcome, standIn, intentId, accountId, reason, intentCode, payoutId } = payment;
  const told: ReportedPayment = {
    intentCode,
    transactionId,
    payoutId,
    ...moneyOf(carried),
    intentId: intentId ?? carried.intentId,
    accountId,
    ...(reason !== undefined && { reason }),
  };
  if (outcome === 'refused') report.refused.push(told);
  else if (standIn) report.adopted.push(told);
}

function moneyOf(carried: Pick<CarriedTransfer, 'payer' | 'asset' | 'capAtomic' | 'settledAtomic'>) {
  const { payer, asset, capAtomic, settledAtomic } = carried;
  return { payer, token: asset, capAtomic: capAtomic.toString(), settledAtomic: settledAtomic.toString() };
}
