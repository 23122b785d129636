// Reserves intent codes in blocks: one round trip serves many intents, and a crash only leaves a gap.

export type ReserveCodes = (count: number) => Promise<readonly number[]>;

export function createIntentCodes(reserve: ReserveCodes, blockSize: number): () => Promise<number> {
  let block: number[] = [];
  let refilling: Promise<void> | undefined;
  const refill = async () => {
    block = [...(await reserve(blockSize))].reverse();
  };
  return async () => {
    for (;;) {
      const code = block.pop();
      if (code !== undefined) return code;
      refilling ??= refill().finally(() => {
        refilling = undefined;
      });
      await refilling;
    }
  };
}
