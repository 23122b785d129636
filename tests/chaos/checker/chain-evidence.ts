// What the chain says happened: every settlement and transfer by its log, and every transaction of a relayer.
import type { AskChain } from './ask-chain.ts';
import { type DirectLog, readDirectLogs, readUses } from './direct-evidence.ts';

export type SettledLog = {
  readonly code: string;
  readonly payer: string;
  readonly token: string;
  readonly cap: bigint;
  readonly settled: bigint;
  readonly fee: bigint;
  readonly transaction: string;
  readonly logIndex: number;
  readonly blockNumber: number;
};
export type TransferLog = {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly transaction: string;
  readonly logIndex: number;
  readonly blockNumber: number;
};
type RelayerTransaction = {
  readonly hash: string;
  readonly from: string;
  readonly nonce: number;
  readonly input: string;
  readonly blockNumber: number;
  readonly atMs: number;
  readonly succeeded: boolean;
  readonly cost: bigint;
};

export type ChainEvidence = {
  /** By the processor. */
  readonly settled: readonly SettledLog[];
  /** By calls of `pay`. */
  readonly received: readonly SettledLog[];
  /** By an authorization to a merchant's wallet, whoever submitted it. */
  readonly direct: readonly DirectLog[];
  /** By an authorization that a merchant's wallet signed for a refund. */
  readonly refunds: readonly DirectLog[];
  readonly transfers: readonly TransferLog[];
  readonly transactions: readonly RelayerTransaction[];
  /** By relayer: the chain's own count. */
  readonly nonces: ReadonlyMap<string, number>;
  readonly balanceOf: (owner: string) => bigint;
};

const SETTLED = '0x8b2a612c002402bf584f7938012349536a2fef9ed87dcd951661bba6d392c135';
const RECEIVED = '0x775fc3d3f0edd3d14001a17252c16a85ca601c33be3d34e7598fca50ec65b2c6';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** The first bytes of a refund's nonce. */
const REFUND_TAG = `0x${Buffer.from('svcref').toString('hex')}`;
const BALANCE_OF = '0x70a08231';

export type Log = {
  readonly topics: readonly string[];
  readonly data: string;
  readonly transactionHash: string;
  readonly logIndex: string;
  readonly blockNumber: string;
};
type Transaction = { readonly hash: string; readonly from: string; readonly nonce: string; readonly input: string };
type Block = { readonly number: string; readonly timestamp: string; readonly transactions: readonly Transaction[] };
type Receipt = { readonly status: string; readonly gasUsed: string; readonly effectiveGasPrice: string };

export type ChainScope = {
  readonly processor: string;
  readonly token: string;
  readonly relayers: readonly string[];
  /** Of direct payments. */
  readonly wallets: readonly string[];
  /** Whose balances are wanted. */
  readonly owners: readonly string[];
};

export async function readChain(
  ask: AskChain,
  { processor, token, relayers, wallets, owners }: ChainScope,
): Promise<ChainEvidence> {
  const [head] = (await ask([['eth_blockNumber', []]])) as [string];
  const logsOf = (address: string, topics: readonly string[]) =>
    ask([['eth_getLogs', [{ address, topics, fromBlock: '0x0', toBlock: head }]]]);
  const [settled] = (await logsOf(processor, [SETTLED])) as [readonly Log[]];
  const [received] = (await logsOf(processor, [RECEIVED])) as [readonly Log[]];
  const [ofToken] = (await logsOf(token, [])) as [readonly Log[]];
  const numbers = Array.from({ length: number(head) + 1 }, (_, index) => `0x${index.toString(16)}`);
  const blocks = (await ask(numbers.map((block) => ['eth_getBlockByNumber', [block, true]]))) as readonly Block[];
  const own = new Set(relayers);
  const mine = blocks.flatMap((block) =>
    block.transactions.filter(({ from }) => own.has(from.toLowerCase())).map((transaction) => ({ block, transaction })),
  );
  const receipts = (await ask(
    mine.map(({ transaction }) => ['eth_getTransactionReceipt', [transaction.hash]]),
  )) as readonly Receipt[];
  const counts = (await ask(relayers.map((one) => ['eth_getTransactionCount', [one, 'latest']]))) as readonly string[];
  const balances = (await ask(
    owners.map((owner) => [
      'eth_call',
      [{ to: token, data: `${BALANCE_OF}${owner.slice(2).padStart(64, '0')}` }, 'latest'],
    ]),
  )) as readonly string[];
  const held = new Map(owners.map((owner, index) => [owner, BigInt(balances[index] ?? '0x0')]));
  return {
    settled: settled.map(settledLog),
    received: received.map(receivedLog),
    direct: readDirectLogs(ofToken, new Set(wallets)),
    refunds: readUses(ofToken).filter(({ nonce }) => nonce.startsWith(REFUND_TAG)),
    transfers: ofToken.filter(({ topics }) => topics[0] === TRANSFER).map(transferLog),
    transactions: mine.map(({ block, transaction }, index) => {
      const receipt = receipts[index];
      return {
        hash: transaction.hash,
        from: transaction.from.toLowerCase(),
        nonce: number(transaction.nonce),
        input: transaction.input,
        blockNumber: number(block.number),
        atMs: number(block.timestamp) * 1_000,
        succeeded: receipt?.status === '0x1',
        cost: BigInt(receipt?.gasUsed ?? '0x0') * BigInt(receipt?.effectiveGasPrice ?? '0x0'),
      };
    }),
    nonces: new Map(relayers.map((relayer, index) => [relayer, number(counts[index] ?? '0x0')])),
    balanceOf: (owner) => held.get(owner) ?? 0n,
  };
}

const number = (hex: string) => Number.parseInt(hex, 16);
const address = (topic = '') => `0x${topic.slice(-40)}`.toLowerCase();
const word = (data: string, index: number) => BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64) || '0'}`);

/** Undefined for another log of the processor. */
export function readSettled(log: Log): SettledLog | undefined {
  return log.topics[0] === SETTLED ? settledLog(log) : undefined;
}

function settledLog({ topics, data, transactionHash, logIndex, blockNumber }: Log): SettledLog {
  return {
    code: BigInt(topics[1] ?? '0x0').toString(),
    payer: address(topics[2]),
    token: address(topics[3]),
    cap: word(data, 1),
    settled: word(data, 2),
    fee: word(data, 3),
    transaction: transactionHash,
    logIndex: number(logIndex),
    blockNumber: number(blockNumber),
  };
}

function receivedLog(log: Log): SettledLog {
  return { ...settledLog(log), settled: word(log.data, 1), fee: word(log.data, 2) };
}

function transferLog({ topics, data, transactionHash, logIndex, blockNumber }: Log): TransferLog {
  return {
    from: address(topics[1]),
    to: address(topics[2]),
    value: word(data, 0),
    transaction: transactionHash,
    logIndex: number(logIndex),
    blockNumber: number(blockNumber),
  };
}
