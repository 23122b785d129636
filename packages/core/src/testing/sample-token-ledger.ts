// A token ledger in memory, behind the port of the reader. Its blocks are chained by their hashes.
import { createHash } from 'node:crypto';
import type { NetworkId } from '@svc-pay/protocol';
import type { IcrcChain } from '../icrc/icrc-chain.ts';
import type { TokenBlock, TokenTransfer } from '../icrc/token-block.ts';
import { memoOfIntent } from '../icrc/transfer-memo.ts';

export type SampleLedger = {
  readonly chain: IcrcChain;
  readonly ledger: string;
  readonly blocks: TokenBlock[];
  /** Returns the index of the new block. */
  readonly add: (transfer: TokenTransfer | null, atMs: number) => bigint;
  readonly pay: (
    paid: Pick<TokenTransfer, 'from' | 'to' | 'amountAtomic'> & { readonly intentCode: bigint },
    atMs: number,
  ) => bigint;
  /** Calls that the chain was asked, as `start+count`. */
  readonly calls: string[];
  /** The next calls fail with it. */
  fail: Error | undefined;
  /** The ledger tells so many blocks at a time. */
  perCall: number;
};

export function sampleTokenLedger(network: NetworkId, ledger = 'bkyz2-fmaaa-aaaaa-qaaaq-cai'): SampleLedger {
  const blocks: TokenBlock[] = [];
  const calls: string[] = [];
  const add: SampleLedger['add'] = (transfer, atMs) => {
    const index = BigInt(blocks.length);
    const parentHash = blocks.at(-1)?.hash ?? null;
    const timestampNs = BigInt(atMs) * 1_000_000n;
    blocks.push({ index, parentHash, timestampNs, transfer, hash: hashOf(parentHash, index, timestampNs, transfer) });
    return index;
  };
  const made: SampleLedger = {
    ledger,
    blocks,
    calls,
    add,
    fail: undefined,
    perCall: 1_000,
    pay: ({ intentCode, ...transfer }, atMs) => add({ ...transfer, memo: memoOfIntent(intentCode) }, atMs),
    chain: {
      network,
      ledgers: [ledger],
      facts: async () => ({ symbol: 'ckUSDC', decimals: 6, feeAtomic: 10_000n, mintingAccount: null }),
      blocks: async (_, start, count) => {
        calls.push(`${start}+${count}`);
        if (made.fail !== undefined) throw made.fail;
        const most = Math.min(count, made.perCall);
        return { length: BigInt(blocks.length), blocks: blocks.slice(Number(start), Number(start) + most) };
      },
      blocksAt: async (_, indexes) => {
        calls.push(`at ${indexes.length}`);
        if (made.fail !== undefined) throw made.fail;
        const told = blocks.filter(({ index }) => indexes.includes(index)).slice(0, made.perCall);
        return { length: BigInt(blocks.length), blocks: new Map(told.map((block) => [block.index, block])) };
      },
    },
  };
  return made;
}

function hashOf(
  parent: Uint8Array | null,
  index: bigint,
  timestampNs: bigint,
  transfer: TokenTransfer | null,
): Uint8Array {
  const words = [index, timestampNs, transfer?.from, transfer?.to, transfer?.amountAtomic].map(String);
  return new Uint8Array(
    createHash('sha256')
      .update(parent ?? new Uint8Array())
      .update(JSON.stringify(words))
      .digest(),
  );
}
