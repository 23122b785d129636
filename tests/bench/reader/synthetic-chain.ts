// A chain of any length whose blocks and logs follow from their numbers, so that nothing is stored. Anvil does not do it:
// `anvil_mine` took more than two minutes for 10,000 blocks, and keeps each in memory.
import { numberToHex, pad, toEventSelector } from 'viem';

const SETTLED = toEventSelector('PaymentSettled(uint64,address,address,uint64,uint256,uint256,uint256)');
const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
export const PROCESSOR = `0x${'2a'.repeat(20)}` as const;
export const TOKEN = `0x${'7c'.repeat(20)}` as const;
const PAYER = `0x${'b1'.repeat(20)}` as const;

/** One of ours in so many blocks, and one use that is nobody's here: of a million blocks, 500 and 10,000. */
export const OWN_EVERY = 2_000n;
export const FOREIGN_EVERY = 100n;
const FINAL_AFTER = 64n;

type Filter = { readonly fromBlock: string; readonly toBlock: string; readonly address: readonly string[] };

export function createSyntheticChain(given: bigint) {
  let blocks = given;
  const hashOf = (number: bigint) => pad(numberToHex(number + 1n));
  const blockAt = (number: bigint) =>
    number > blocks
      ? null
      : { number: numberToHex(number), hash: hashOf(number), timestamp: numberToHex(1_700_000_000n + 2n * number) };
  const place = (number: bigint, logIndex: bigint) => ({
    blockNumber: numberToHex(number),
    blockHash: hashOf(number),
    transactionHash: pad(numberToHex(number * 16n + logIndex)),
    logIndex: numberToHex(logIndex),
    removed: false,
  });
  const settled = (number: bigint) => ({
    ...place(number, 0n),
    address: PROCESSOR,
    topics: [SETTLED, pad(numberToHex(number)), pad(PAYER), pad(TOKEN)],
    data: `0x${[7n, 1_000n, 900n, 9n].map((value) => pad(numberToHex(value)).slice(2)).join('')}`,
  });
  const used = (number: bigint) => ({
    ...place(number, 1n),
    address: TOKEN,
    topics: [USED, pad(PAYER), pad(numberToHex(number))],
    data: '0x',
  });
  const multiples = (every: bigint, from: bigint, to: bigint): readonly bigint[] => {
    const found: bigint[] = [];
    for (let number = ((from + every - 1n) / every) * every; number <= to; number += every) found.push(number);
    return found;
  };
  return (method: string, params: readonly unknown[]): unknown => {
    const [asked] = params;
    if (method === 'eth_chainId') return '0x7a69';
    // The bench's own: so many blocks more.
    if (method === 'bench_advance') return Number((blocks += BigInt(asked as number)));
    if (method === 'eth_getBlockByNumber') {
      if (asked === 'latest') return blockAt(blocks);
      return blockAt(asked === 'finalized' ? blocks - FINAL_AFTER : BigInt(asked as string));
    }
    if (method === 'eth_getLogs') {
      const { fromBlock, toBlock, address } = asked as Filter;
      const [from, to] = [BigInt(fromBlock), BigInt(toBlock) < blocks ? BigInt(toBlock) : blocks];
      return [
        ...(address.includes(PROCESSOR) ? multiples(OWN_EVERY, from, to).map(settled) : []),
        ...(address.includes(TOKEN) ? multiples(FOREIGN_EVERY, from, to).map(used) : []),
      ];
    }
    throw new Error(`a synthetic chain knows no ${method}`);
  };
}
