// A node: it answers from the blocks that it has seen, which may be old, or of a fork that everybody else has left. What
// it is given it passes on, unless it is told to say one thing and do another.
import type { RpcAnswer, RpcCall } from '@svc-pay/evm';
import { type Hex, numberToHex, parseTransaction } from 'viem';
import { answerCall } from './processor.ts';
import type { Block, SimulatedChain, Transaction } from './simulated-chain.ts';

/** `swallows`: says that it took a transaction, and nobody ever sees it. `denies`: passes it on and answers with an error. */
type NodeMood = 'well' | 'silent' | 'swallows' | 'denies';

export type SimulatedNode = {
  readonly name: string;
  readonly answer: (calls: readonly RpcCall[]) => readonly RpcAnswer[];
  /** Has seen these blocks. */
  readonly see: (blocks: readonly Block[]) => void;
  readonly mood: () => NodeMood;
  readonly setMood: (mood: NodeMood) => void;
  /** Blocks reach it only when it does not stand still. */
  readonly standsStill: () => boolean;
  readonly setStill: (still: boolean) => void;
};

/** Deeper than any reorganisation here. */
export const FINAL_DEPTH = 5;
const RELAYER_WEI = 10n ** 22n;

const ok = (result: unknown): RpcAnswer => ({ ok: true, result });
const refusal = (message: string): RpcAnswer => ({ ok: false, code: -32_000, message, data: null });

export function createSimulatedNode(
  name: string,
  chain: SimulatedChain,
  chainId: number,
  note: (what: string) => void,
  onHanded: (transaction: Transaction) => void,
): SimulatedNode {
  let view = chain.blocks();
  let mood: NodeMood = 'well';
  let still = false;
  const latest = () => view.at(-1) as Block;
  const finalized = () => view[Math.max(0, view.length - 1 - FINAL_DEPTH)] as Block;
  const blockAt = (tag: unknown): Block | undefined => {
    if (tag === 'latest') return latest();
    if (tag === 'finalized') return finalized();
    const number = BigInt(tag as Hex);
    return view.find((block) => block.number === number);
  };

  const take = (raw: Hex): RpcAnswer => {
    const transaction = chain.read(raw);
    if (transaction === undefined) return refusal('invalid sender');
    onHanded(transaction);
    if (transaction.nonce < (latest().state.nonces.get(transaction.sender) ?? 0n)) return refusal('nonce too low');
    if (mood === 'swallows') return ok(transaction.id);
    const taken = chain.offer(transaction);
    if (taken === 'taken') note(`${name} takes ${transaction.id.slice(0, 10)}`);
    if (mood === 'denies') return refusal('internal error');
    return taken === 'taken' ? ok(transaction.id) : refusal(taken);
  };

  const answerOne = ({ method, params }: RpcCall): RpcAnswer => {
    switch (method) {
      case 'eth_chainId':
        return ok(numberToHex(chainId));
      case 'eth_blockNumber':
        return ok(numberToHex(latest().number));
      case 'eth_getBlockByNumber': {
        const block = blockAt(params[0]);
        return ok(block === undefined ? null : blockView(block, params[1] === true));
      }
      case 'eth_getTransactionCount':
        if (params[1] === 'pending') return ok(numberToHex(chain.pendingNonce(String(params[0]))));
        return ok(numberToHex(blockAt(params[1])?.state.nonces.get(String(params[0])) ?? 0n));
      case 'eth_getBalance':
        return ok(numberToHex(RELAYER_WEI));
      case 'eth_maxPriorityFeePerGas':
        return ok(numberToHex(100_000_000n));
      case 'eth_getTransactionByHash':
        return ok(transactionOf(view, String(params[0])));
      case 'eth_getTransactionReceipt':
        return ok(receiptOf(view, String(params[0])));
      case 'eth_getLogs':
        return ok(logsOf(view, params[0] as LogFilter));
      case 'eth_sendRawTransaction':
        return take(params[0] as Hex);
      case 'eth_call': {
        const block = blockAt(params[1]);
        if (block === undefined) return refusal('header not found');
        const result = answerCall(block.state, (params[0] as { data: Hex }).data, block.timeSeconds + 1n);
        if (result === undefined) return refusal('not simulated');
        if (typeof result === 'string') return ok(result);
        return { ok: false, code: 3, message: 'execution reverted', data: result.reverted };
      }
      default:
        return refusal(`${method} is not simulated`);
    }
  };
  return {
    name,
    answer: (calls) => calls.map(answerOne),
    see: (blocks) => {
      view = blocks;
    },
    mood: () => mood,
    setMood: (next) => {
      mood = next;
    },
    standsStill: () => still,
    setStill: (next) => {
      still = next;
    },
  };
}

function blockView({ number, hash, timeSeconds, baseFeeWei, transactions }: Block, whole: boolean) {
  return {
    ...(whole && {
      transactions: transactions.map(({ id, sender, nonce }) => ({
        hash: id,
        from: sender,
        nonce: numberToHex(nonce),
      })),
    }),
    number: numberToHex(number),
    hash,
    timestamp: numberToHex(timeSeconds),
    baseFeePerGas: numberToHex(baseFeeWei),
  };
}

/** With every field that the bytes are made of. */
function transactionOf(view: readonly Block[], id: string): unknown {
  const found = view.flatMap(({ transactions }) => transactions).find((transaction) => transaction.id === id);
  if (found === undefined) return null;
  const { sender, nonce, data, raw } = found;
  const told = { from: sender, nonce: numberToHex(nonce), input: data };
  if (raw === undefined) return told;
  const { to, r, s, yParity, gas, maxFeePerGas, maxPriorityFeePerGas, chainId } = parseTransaction(raw) as SignedFields;
  return {
    ...told,
    to,
    r,
    s,
    yParity: numberToHex(yParity),
    gas: numberToHex(gas),
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
    chainId: numberToHex(chainId),
    value: '0x0',
  };
}

type SignedFields = {
  readonly to: Hex;
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity: number;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly chainId: number;
};

type LogFilter = {
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
  readonly address?: readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
};

function logsOf(view: readonly Block[], filter: LogFilter): readonly unknown[] {
  const [from, to] = [BigInt(filter.fromBlock), BigInt(filter.toBlock)];
  const asked = (filter.topics ?? []).map((topic) => (typeof topic === 'string' ? [topic] : topic));
  return view
    .filter(({ number, transactions }) => number >= from && number <= to && transactions.length > 0)
    .flatMap(({ number, transactions }) => {
      let logIndex = -1;
      return transactions.flatMap(({ id, logs }) =>
        logs.flatMap((log) => {
          logIndex += 1;
          const isAsked =
            filter.address?.includes(log.address) !== false &&
            asked.every((any, place) => any === null || any.includes(log.topics[place] ?? ''));
          const position = { transactionHash: id, blockNumber: numberToHex(number), logIndex: numberToHex(logIndex) };
          return isAsked ? [{ ...log, ...position }] : [];
        }),
      );
    });
}

function receiptOf(view: readonly Block[], id: string): unknown {
  for (const block of view.toReversed()) {
    let logIndex = 0;
    for (const mined of block.transactions) {
      const first = logIndex;
      logIndex += mined.logs.length;
      if (mined.id !== id) continue;
      return {
        transactionHash: id,
        from: mined.sender,
        blockNumber: numberToHex(block.number),
        blockHash: block.hash,
        status: mined.reverted ? '0x0' : '0x1',
        gasUsed: numberToHex(mined.gasUsed),
        effectiveGasPrice: numberToHex(mined.gasPriceWei),
        logs: mined.logs.map((log, index) => ({ ...log, logIndex: numberToHex(first + index) })),
      };
    }
  }
  return null;
}
