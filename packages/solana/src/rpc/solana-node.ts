// What we ask of a node, in our own words. A node that refuses a read is a node that does not know: `ChainUnavailable`.
import { ChainUnavailable } from '@svc-pay/core';
import { type AskNode, askNodeAt } from './post-call.ts';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** A blockhash, the last height at which it is good, and the slot in which the node told it. */
export type Lifetime = {
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
  readonly slot: bigint;
};

export type TransactionStatus = {
  readonly slot: bigint;
  readonly commitment: Commitment;
  /** Null: it did what it says. Else it was charged for and undone. */
  readonly error: unknown;
};

export type ChainAccount = { readonly owner: string; readonly data: Uint8Array; readonly lamports: bigint };

type Simulation =
  | { readonly ok: true; readonly computeUnits: bigint }
  | { readonly ok: false; readonly error: unknown; readonly logs: readonly string[] };

/** `known`: it has it. `refused`: it says why not. Whatever else happened, it may be on its way. */
type SendAnswer = { readonly outcome: 'known' | 'unknown' } | { readonly outcome: 'refused'; readonly reason: string };

export type SolanaNode = {
  readonly genesisHash: () => Promise<string>;
  readonly latestLifetime: () => Promise<Lifetime>;
  readonly blockHeight: (commitment: Commitment) => Promise<bigint>;
  readonly slot: (commitment: Commitment) => Promise<bigint>;
  /** Whether transactions with this blockhash can still land. */
  readonly isBlockhashLive: (blockhash: string) => Promise<boolean>;
  /** In the order of the ids; null where the node knows nothing, its whole history searched. */
  readonly statuses: (transactionIds: readonly string[]) => Promise<readonly (TransactionStatus | null)[]>;
  /** As the node's JSON tells it; null below the commitment. */
  readonly transaction: (transactionId: string, commitment: Commitment) => Promise<unknown>;
  readonly firstAvailableSlot: () => Promise<bigint>;
  readonly accounts: (addresses: readonly string[]) => Promise<readonly (ChainAccount | null)[]>;
  readonly simulate: (wire: Uint8Array) => Promise<Simulation>;
  readonly send: (wire: Uint8Array) => Promise<SendAnswer>;
};

export function openNode(url: string, timeoutMs = 5_000): SolanaNode {
  return nodeFrom(askNodeAt(url, timeoutMs));
}

export function nodeFrom(ask: AskNode): SolanaNode {
  const read = readFrom(ask);
  return {
    genesisHash: async () => (await read('getGenesisHash')) as string,
    latestLifetime: async () => {
      const { context, value } = (await read('getLatestBlockhash', [{ commitment: 'confirmed' }])) as InContext<{
        blockhash: string;
        lastValidBlockHeight: bigint;
      }>;
      return { ...value, slot: context.slot };
    },
    blockHeight: async (commitment) => (await read('getBlockHeight', [{ commitment }])) as bigint,
    slot: async (commitment) => (await read('getSlot', [{ commitment }])) as bigint,
    isBlockhashLive: async (blockhash) =>
      ((await read('isBlockhashValid', [blockhash, { commitment: 'confirmed' }])) as InContext<boolean>).value,
    statuses: async (transactionIds) => {
      const answer = await read('getSignatureStatuses', [transactionIds, { searchTransactionHistory: true }]);
      const { value } = answer as InContext<readonly (RawStatus | null)[]>;
      if (value.length !== transactionIds.length) throw new ChainUnavailable('statuses: not one for each');
      return value.map((status) => status && readStatus(status));
    },
    transaction: (transactionId, commitment) =>
      read('getTransaction', [transactionId, { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 }]),
    firstAvailableSlot: async () => (await read('getFirstAvailableBlock')) as bigint,
    accounts: async (addresses) => {
      const answer = await read('getMultipleAccounts', [addresses, { commitment: 'confirmed', encoding: 'base64' }]);
      const { value } = answer as InContext<readonly (RawAccount | null)[]>;
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
      const config = { encoding: 'base64', sigVerify: true, commitment: 'confirmed' };
      const { value } = (await read('simulateTransaction', [base64(wire), config])) as InContext<RawSimulation>;
      if (value.err === null) return { ok: true, computeUnits: value.unitsConsumed ?? 0n };
      return { ok: false, error: value.err, logs: value.logs ?? [] };
    },
    send: (wire) => send(ask, wire),
  };
}

type InContext<Value> = { readonly context: { readonly slot: bigint }; readonly value: Value };
type RawStatus = { readonly slot: bigint; readonly err: unknown; readonly confirmationStatus?: Commitment | null };
type RawAccount = { readonly owner: string; readonly lamports: bigint; readonly data: readonly [string, string] };
type RawSimulation = {
  readonly err: unknown;
  readonly logs?: readonly string[] | null;
  readonly unitsConsumed?: bigint;
};

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Old blocks come without a commitment: they are final. */
function readStatus({ slot, err, confirmationStatus }: RawStatus): TransactionStatus {
  return { slot, error: err ?? null, commitment: confirmationStatus ?? 'finalized' };
}

function readFrom(ask: AskNode) {
  return async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const answer = await ask(method, params);
    if (answer.ok) return answer.result;
    throw new ChainUnavailable(`${method}: the node refused, code ${answer.code}`);
  };
}

/** No preflight: it would ask the node for an opinion that a lagging node gets wrong. */
async function send(ask: AskNode, wire: Uint8Array): Promise<SendAnswer> {
  const config = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
  try {
    const answer = await ask('sendTransaction', [base64(wire), config]);
    if (answer.ok || /already been processed|AlreadyProcessed/.test(answer.message)) return { outcome: 'known' };
    return { outcome: 'refused', reason: answer.message.slice(0, 200) };
  } catch (problem) {
    if (problem instanceof ChainUnavailable) return { outcome: 'unknown' };
    throw problem;
  }
}
