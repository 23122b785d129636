// Finds a block by its time, with few questions: blocks of a chain never go back in time.
import { readAgreedBlocks } from './ask-nodes.ts';
import type { ReaderNode } from './reader-chain.ts';

const ASKED_AT_ONCE = 8;
/** The first look goes back by so many times as many blocks at each step: old blocks are asked for only if need be. */
const BACK_BY = 16n;

/**
 * The last block up to `highest` that is older than `timeSeconds`; block 0 if none is. Undefined when too few nodes have a
 * block that decides.
 */
export async function findBlockBefore(
  nodes: readonly ReaderNode[],
  timeSeconds: bigint,
  highest: bigint,
): Promise<bigint | undefined> {
  let [older, newer] = [-1n, highest + 1n];
  for (let numbers = numbersBack(highest); newer > older + 1n; numbers = numbersBetween(older, newer)) {
    const blocks = await readAgreedBlocks(nodes, numbers);
    for (const [index, number] of numbers.entries()) {
      const block = blocks[index];
      if (block === undefined) return undefined;
      if (block.timeSeconds < timeSeconds) {
        older = number;
        break;
      }
      newer = number;
    }
  }
  return older < 0n ? 0n : older;
}

/** From `highest` back to block 0, in growing steps. */
function numbersBack(highest: bigint): readonly bigint[] {
  const numbers = [highest];
  for (let back = 1n; back < highest; back *= BACK_BY) numbers.push(highest - back);
  return highest === 0n ? numbers : [...numbers, 0n];
}

/** Some numbers between the two, evenly and downwards; at least one. */
function numbersBetween(low: bigint, high: bigint): readonly bigint[] {
  const parts = BigInt(ASKED_AT_ONCE + 1);
  const numbers = Array.from(
    { length: ASKED_AT_ONCE },
    (_, index) => high - ((high - low) * BigInt(index + 1)) / parts,
  );
  return [...new Set(numbers)].filter((number) => number > low && number < high);
}
