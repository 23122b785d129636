// Decides from which block on the chain has to be read: up to it the database certainly has every transaction.

/** What the database knows of the blocks of one network. */
export type RecordedBlocks = {
  /** Newest block with a final batch. */
  readonly finalBlock: bigint | undefined;
  /** Oldest block with a mined batch. */
  readonly firstBlock: bigint | undefined;
  /**
   * Of each relayer the nonce up to which its batches with a known end have no gap, from its first one on, and the
   * newest block that any of them is in.
   */
  readonly unbroken: readonly {
    readonly relayer: string;
    readonly nonce: bigint;
    readonly block: bigint | undefined;
  }[];
};

/**
 * The newest block with a final batch, or an earlier one if a relayer has since used nonces that no recorded batch has.
 * `counts` is the number of transactions of each relayer on chain. Undefined when the database knows no block.
 */
export function firstBlockToRead(
  { finalBlock, firstBlock, unbroken }: RecordedBlocks,
  counts: ReadonlyMap<string, bigint>,
): bigint | undefined {
  const behind = unbroken.filter(({ relayer, nonce }) => (counts.get(relayer) ?? 0n) > nonce + 1n);
  const blocks = [finalBlock ?? firstBlock, ...behind.map(({ block }) => block)].filter((block) => block !== undefined);
  return blocks.reduce<bigint | undefined>(lowerBlock, undefined);
}

/**
 * The first block to read by what the books say: `noted` by an earlier restore, and `known` now. Undefined if they do not say
 * it. After a restore that did not know it, what is known now says nothing: services have settled since.
 */
export function blockOfBooks(
  noted: { readonly fromBlock: bigint | undefined } | undefined,
  known: bigint | undefined,
): bigint | undefined {
  return noted !== undefined && noted.fromBlock === undefined ? undefined : lowerBlock(noted?.fromBlock, known);
}

/** The lower of those that are known. */
export function lowerBlock(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
