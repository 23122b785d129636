// What the rehearsal reads from the chain by itself: balances, receipts, logs and blocks. It shares no code with the services,
// whose reading of the same chain it checks.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type AskProvider, type NodeCall, NodeUnusable } from './ask-node.ts';

export type SeenLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  /** Within the block. */
  readonly index: bigint;
};

export type SeenReceipt = {
  readonly transactionId: string;
  readonly succeeded: boolean;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly gasUsed: bigint;
  /** Gas at its price, with the fee for data that rollups charge beside it. */
  readonly costAtomic: bigint;
  readonly logs: readonly SeenLog[];
};

export type Transfer = { readonly from: string; readonly to: string; readonly amountAtomic: bigint };
type SeenBlock = { readonly number: bigint; readonly hash: string };

export type ChainReadings = {
  readonly chainId: () => Promise<bigint>;
  readonly block: (at: 'latest' | 'finalized' | bigint) => Promise<SeenBlock>;
  readonly balances: (token: string, owners: readonly string[], at: bigint | 'latest') => Promise<readonly bigint[]>;
  /** Undefined while the transaction is not mined. */
  readonly receipt: (transactionId: string) => Promise<SeenReceipt | undefined>;
  /** Every transfer of the token in one block. */
  readonly transfersIn: (token: string, block: SeenBlock) => Promise<readonly Transfer[]>;
};

export const topicOf = (signature: string): string =>
  `0x${bytesToHex(keccak_256(new TextEncoder().encode(signature)))}`;
const TRANSFER = topicOf('Transfer(address,address,uint256)');
const BALANCE_OF = '0x70a08231';

export function readChainFacts(ask: AskProvider): ChainReadings {
  const one = async (call: NodeCall): Promise<unknown> => (await ask([call]))[0];
  return {
    chainId: async () => quantity(await one({ method: 'eth_chainId', params: [] })),
    block: async (at) => blockOf(await one({ method: 'eth_getBlockByNumber', params: [tagOf(at), false] })),
    balances: async (token, owners, at) => {
      const calls = owners.map((owner) => ({
        method: 'eth_call',
        params: [{ to: token, data: `${BALANCE_OF}${owner.slice(2).toLowerCase().padStart(64, '0')}` }, tagOf(at)],
      }));
      return calls.length === 0 ? [] : (await ask(calls)).map(quantity);
    },
    receipt: async (transactionId) => {
      const receipt = await one({ method: 'eth_getTransactionReceipt', params: [transactionId] });
      return receipt === null || receipt === undefined ? undefined : receiptOf(receipt);
    },
    transfersIn: async (token, { hash }) => {
      const logs = await one({
        method: 'eth_getLogs',
        params: [{ address: token, topics: [TRANSFER], blockHash: hash }],
      });
      if (!Array.isArray(logs)) throw new NodeUnusable('the node answers eth_getLogs with no logs');
      return transfersOf(logs.map(logOf), token);
    },
  };
}

/** Transfers of a token among logs, in their order. */
export function transfersOf(logs: readonly SeenLog[], token: string): readonly Transfer[] {
  return logs.flatMap(({ address, topics: [topic, from, to], data }) =>
    address === token.toLowerCase() && topic === TRANSFER && from !== undefined && to !== undefined
      ? [{ from: addressIn(from), to: addressIn(to), amountAtomic: BigInt(data) }]
      : [],
  );
}

export const addressIn = (word: string): string => `0x${word.slice(26)}`;
const tagOf = (at: string | bigint): string => (typeof at === 'bigint' ? `0x${at.toString(16)}` : at);

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function quantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]+$/.test(value))
    throw new NodeUnusable('the node answers no number');
  return BigInt(value);
}

function hex(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]*$/.test(value)) throw new NodeUnusable('the node answers no hex');
  return value.toLowerCase();
}

function blockOf(value: unknown): SeenBlock {
  return { number: quantity(fieldOf(value, 'number')), hash: hex(fieldOf(value, 'hash')) };
}

function receiptOf(value: unknown): SeenReceipt {
  const logs = fieldOf(value, 'logs');
  if (!Array.isArray(logs)) throw new NodeUnusable('the node answers a receipt without logs');
  const gasUsed = quantity(fieldOf(value, 'gasUsed'));
  const dataFee = fieldOf(value, 'l1Fee');
  return {
    transactionId: hex(fieldOf(value, 'transactionHash')),
    succeeded: quantity(fieldOf(value, 'status')) === 1n,
    blockNumber: quantity(fieldOf(value, 'blockNumber')),
    blockHash: hex(fieldOf(value, 'blockHash')),
    gasUsed,
    costAtomic:
      gasUsed * quantity(fieldOf(value, 'effectiveGasPrice')) + (typeof dataFee === 'string' ? quantity(dataFee) : 0n),
    logs: logs.map(logOf),
  };
}

function logOf(value: unknown): SeenLog {
  const topics = fieldOf(value, 'topics');
  if (!Array.isArray(topics)) throw new NodeUnusable('the node answers a log without topics');
  return {
    address: hex(fieldOf(value, 'address')),
    topics: topics.map(hex),
    data: hex(fieldOf(value, 'data')),
    index: quantity(fieldOf(value, 'logIndex')),
  };
}
