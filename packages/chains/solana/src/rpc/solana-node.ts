// Our interface to a Solana node. A node that refuses a read, or whose answer does not have the documented shape,
// counts as unavailable: `ChainUnavailable`.
import { ChainUnavailable } from '@svc-pay/core';
import * as z from 'zod/mini';
import { base58Of } from '../bytes/base58.ts';
import {
  accounts,
  BLOCKHASH_VALID,
  KEY,
  LATEST_BLOCKHASH,
  readAnswer,
  SIGNATURES,
  SIMULATION,
  type SignatureAnswer,
  statuses,
  TRANSACTION,
  type TransactionAnswer,
  U64,
  WIRE,
} from './answer-shapes.ts';
import { type AskNode, askNodeAt } from './post-call.ts';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** A blockhash, the last height at which it is valid, and the slot in which the node returned it. */
export type Lifetime = {
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
  readonly slot: bigint;
};

export type TransactionStatus = {
  readonly slot: bigint;
  readonly commitment: Commitment;
  /** Null: the transaction succeeded. Otherwise it was charged for and had no other effect. */
  readonly error: unknown;
};

export type ChainAccount = { readonly owner: string; readonly data: Uint8Array; readonly lamports: bigint };

export type FinalWire = {
  readonly wire: Uint8Array;
  readonly slot: bigint;
  /** Undefined where the node does not know the time of the block. */
  readonly blockTimeSeconds: bigint | undefined;
};

type Simulation =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: unknown; readonly logs: readonly string[] };

/** `known`: the node has the transaction. `refused`: with the reason. `unknown`: the transaction may be on its way. */
type SendAnswer = { readonly outcome: 'known' | 'unknown' } | { readonly outcome: 'refused'; readonly reason: string };

export type SolanaNode = {
  readonly genesisHash: () => Promise<string>;
  readonly latestLifetime: () => Promise<Lifetime>;
  readonly blockHeight: (commitment: Commitment) => Promise<bigint>;
  readonly slot: (commitment: Commitment) => Promise<bigint>;
  /** Whether transactions with this blockhash can still land. */
  readonly isBlockhashLive: (blockhash: string) => Promise<boolean>;
  /** In the order of the ids; null where the node found nothing in its whole history. */
  readonly statuses: (transactionIds: readonly string[]) => Promise<readonly (TransactionStatus | null)[]>;
  /** The node's JSON; null below the commitment. */
  readonly transaction: (transactionId: string, commitment: Commitment) => Promise<TransactionAnswer | null>;
  /** The bytes of a final transaction; null where the node has none. */
  readonly wire: (transactionId: string) => Promise<FinalWire | null>;
  /**
   * Final transactions, or confirmed ones too, that name the address, newest first: those before one transaction and after another, where they are
   * given. A node that does not know the earlier one tells all.
   */
  readonly signatures: (
    address: string,
    before: string | undefined,
    until?: string,
    commitment?: 'confirmed' | 'finalized',
  ) => Promise<readonly SignatureAnswer[]>;
  readonly firstAvailableSlot: () => Promise<bigint>;
  readonly accounts: (addresses: readonly string[]) => Promise<readonly (ChainAccount | null)[]>;
  /** Does not check signatures: the caller has verified them, and may leave some out. */
  readonly simulate: (wire: Uint8Array) => Promise<Simulation>;
  readonly send: (wire: Uint8Array) => Promise<SendAnswer>;
};

export function openNode(url: string, timeoutMs = 5_000): SolanaNode {
  return nodeFrom(askNodeAt(url, timeoutMs));
}

export function nodeFrom(ask: AskNode): SolanaNode {
  const read = readFrom(ask);
  return {
    genesisHash: () => read(KEY, 'getGenesisHash'),
    latestLifetime: async () => {
      const { context, value } = await read(LATEST_BLOCKHASH, 'getLatestBlockhash', [{ commitment: 'confirmed' }]);
      return { ...value, slot: context.slot };
    },
    blockHeight: (commitment) => read(U64, 'getBlockHeight', [{ commitment }]),
    slot: (commitment) => read(U64, 'getSlot', [{ commitment }]),
    isBlockhashLive: async (blockhash) =>
      (await read(BLOCKHASH_VALID, 'isBlockhashValid', [blockhash, { commitment: 'confirmed' }])).value,
    statuses: async (transactionIds) => {
      const config = { searchTransactionHistory: true };
      const shape = statuses(transactionIds.length);
      const { value } = await read(shape, 'getSignatureStatuses', [transactionIds, config]);
      return value.map(
        (status) =>
          status && {
            slot: status.slot,
            error: status.err,
            commitment: status.confirmationStatus ?? 'finalized',
          },
      );
    },
    transaction: async (transactionId, commitment) => {
      const config = { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 };
      const told = await read(z.nullable(TRANSACTION), 'getTransaction', [transactionId, config]);
      const [toldId] = told?.transaction.signatures ?? [transactionId];
      if (toldId !== transactionId) throw new ChainUnavailable('getTransaction: the node told of another transaction');
      return told;
    },
    wire: async (transactionId) => {
      const config = { commitment: 'finalized', encoding: 'base64', maxSupportedTransactionVersion: 0 };
      const told = await read(z.nullable(WIRE), 'getTransaction', [transactionId, config]);
      if (told === null) return null;
      const wire = Uint8Array.from(Buffer.from(told.transaction[0], 'base64'));
      return { wire, slot: told.slot, blockTimeSeconds: told.blockTime ?? undefined };
    },
    signatures: (address, before, until, commitment = 'finalized') => {
      const config = {
        commitment,
        limit: MOST_SIGNATURES,
        ...(before !== undefined && { before }),
        ...(until !== undefined && { until }),
      };
      return read(SIGNATURES, 'getSignaturesForAddress', [address, config]);
    },
    firstAvailableSlot: () => read(U64, 'getFirstAvailableBlock'),
    accounts: async (addresses) => {
      const config = { commitment: 'confirmed', encoding: 'base64' };
      const { value } = await read(accounts(addresses.length), 'getMultipleAccounts', [addresses, config]);
      return value.map(
        (account) =>
          account && {
            owner: account.owner,
            data: Uint8Array.from(Buffer.from(account.data[0], 'base64')),
            lamports: account.lamports,
          },
      );
    },
    simulate: async (wire) => {
      const config = { encoding: 'base64', sigVerify: false, commitment: 'confirmed' };
      const { value } = await read(SIMULATION, 'simulateTransaction', [base64(wire), config]);
      return value.err === null ? { ok: true } : { ok: false, error: value.err, logs: value.logs ?? [] };
    },
    send: (wire) => send(ask, wire),
  };
}

/** The most that a node tells in one answer. */
export const MOST_SIGNATURES = 1_000;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function readFrom(ask: AskNode) {
  return async <Shape extends z.ZodMiniType>(
    shape: Shape,
    method: string,
    params: readonly unknown[] = [],
  ): Promise<z.output<Shape>> => {
    const answer = await ask(method, params);
    if (answer.ok) return readAnswer(method, shape, answer.result);
    throw new ChainUnavailable(`${method}: the node refused, code ${answer.code}`);
  };
}

/** Skips preflight: a node that lags behind would refuse wrongly. */
async function send(ask: AskNode, wire: Uint8Array): Promise<SendAnswer> {
  const config = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
  try {
    const answer = await ask('sendTransaction', [base64(wire), config]);
    if (answer.ok) return { outcome: answer.result === transactionIdOf(wire) ? 'known' : 'unknown' };
    if (/already been processed|AlreadyProcessed/.test(answer.message)) return { outcome: 'known' };
    return { outcome: 'refused', reason: answer.message.slice(0, 200) };
  } catch (problem) {
    if (problem instanceof ChainUnavailable) return { outcome: 'unknown' };
    throw problem;
  }
}

/** The first signature, which follows the count of signatures. */
const transactionIdOf = (wire: Uint8Array) => base58Of(wire.subarray(1, 65));
