// Tables of direct payments and of attribution in memory.
import type { NetworkId } from '@svc-pay/protocol';
import type { LaneItem, MismatchPolicy, Mode, StoredAcceptance } from '../index.ts';

export type MemoryRefused = {
  readonly accountId: LaneItem['accountId'];
  readonly mode: Mode;
  readonly intentId: LaneItem['intentId'];
  readonly network: NetworkId;
  readonly claimKey: Uint8Array;
  readonly payer: string;
  readonly nonce: string;
  readonly acceptance: StoredAcceptance;
  readonly bound: boolean;
  readonly unusedAtBlock: bigint;
  readonly validBeforeSeconds: bigint;
  readonly funded: boolean;
  readonly createdAtMs: number;
  closedAtMs: number | null;
};

export type MemoryProof = {
  readonly transactionId: string;
  readonly logIndex: number;
  /** Null: an unattributed receipt. */
  readonly paymentId: string | null;
  readonly reason: string | null;
  /** What a receipt of money that was found by itself seemed to be for. */
  readonly about?: { readonly intentId?: string; readonly merchant: string };
  /** Set where the log proves a refund of the payment. */
  readonly refundId?: string;
  /** The chain reader has read the log. */
  read: boolean;
};

export type MemoryDirectTables = {
  /** By intent. */
  readonly acceptances: Map<string, readonly StoredAcceptance[]>;
  /** By intent and claim key. */
  readonly refused: Map<string, MemoryRefused>;
  /** Claims without an authorization, by claim key as hex: nobody submitted one. */
  readonly unsubmitted: Map<string, { readonly intentId: string; readonly paymentId: string }>;
  /** By network, transaction and log index. */
  readonly proofs: Map<string, MemoryProof>;
  /** Payments whose receipt only the merchant can tell. */
  readonly heldForMerchant: Map<string, true>;
  /** Mismatched payments that count towards the sum of their intent. */
  readonly parts: { readonly intentId: string; readonly paymentId: string; readonly position: number }[];
  /** By account; absent: the default. */
  readonly policies: Map<string, MismatchPolicy>;
  /** Logs that the reader read of each batch. */
  readonly logsRead: Map<string, number>;
};

export function createDirectTables(): MemoryDirectTables {
  return {
    acceptances: new Map(),
    refused: new Map(),
    unsubmitted: new Map(),
    proofs: new Map(),
    heldForMerchant: new Map(),
    parts: [],
    policies: new Map(),
    logsRead: new Map(),
  };
}

export const proofKey = (network: string, transactionId: string, logIndex: number): string =>
  `${network} ${transactionId} ${logIndex}`;
