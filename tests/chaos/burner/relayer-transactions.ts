// Every transaction that relayers sent, with its gas, what it settled and whose authorizations it carried, by the chain alone.
import type { AskChain } from '../checker/ask-chain.ts';
import { type Log, readSettled } from '../checker/chain-evidence.ts';

export type RelayerTransaction = {
  readonly hash: string;
  readonly blockNumber: number;
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  readonly feeWei: bigint;
  /** Of the intents that it settled. */
  readonly settledCodes: readonly string[];
  /** Of those asked for, the nonces that its call data names. */
  readonly nonces: readonly string[];
};

type Transaction = { readonly hash: string; readonly from: string; readonly input: string };
type Block = { readonly number: string; readonly transactions: readonly Transaction[] };
type Receipt = {
  readonly status: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly blockNumber: string;
  readonly logs: readonly Log[];
};

export async function headOf(ask: AskChain): Promise<number> {
  const [head] = (await ask([['eth_blockNumber', []]])) as [string];
  return Number.parseInt(head, 16);
}

export async function readRelayerTransactions(
  ask: AskChain,
  relayers: readonly string[],
  fromBlock: number,
  nonces: ReadonlySet<string>,
): Promise<readonly RelayerTransaction[]> {
  const count = (await headOf(ask)) - fromBlock + 1;
  const numbers = Array.from({ length: count }, (_, index) => `0x${(fromBlock + index).toString(16)}`);
  const blocks = (await ask(numbers.map((block) => ['eth_getBlockByNumber', [block, true]]))) as readonly Block[];
  const own = new Set(relayers.map((relayer) => relayer.toLowerCase()));
  const sent = blocks.flatMap(({ transactions }) => transactions.filter(({ from }) => own.has(from.toLowerCase())));
  const receipts = (await ask(sent.map(({ hash }) => ['eth_getTransactionReceipt', [hash]]))) as readonly Receipt[];
  return receipts.map((receipt, index): RelayerTransaction => {
    const { hash = '', input = '' } = sent[index] ?? {};
    const gasUsed = BigInt(receipt.gasUsed);
    return {
      hash,
      blockNumber: Number.parseInt(receipt.blockNumber, 16),
      succeeded: receipt.status === '0x1',
      gasUsed,
      feeWei: gasUsed * BigInt(receipt.effectiveGasPrice),
      settledCodes: receipt.logs.flatMap((log) => readSettled(log)?.code ?? []),
      nonces: wordsOf(input).filter((word) => nonces.has(word)),
    };
  });
}

/** The arguments in words of 32 bytes: a nonce is one of them, in a batch as in a single payment. */
function wordsOf(input: string): readonly string[] {
  const words: string[] = [];
  for (let at = 10; at + 64 <= input.length; at += 64) words.push(`0x${input.slice(at, at + 64)}`);
  return words;
}
