// The name of a token ledger's block as a transaction.

/** Indexes are stored as 64 bits with a sign. */
const MOST_INDEX = 2n ** 63n - 1n;
const INDEX = /^(?:0|[1-9]\d{0,18})$/;
const NAME = /^([a-z2-7-]{5,63}):(\d+)$/;

export type BlockName = { readonly ledger: string; readonly index: bigint };

/** Transaction id of a block: `<ledger>:<index>`. */
export const blockName = ({ ledger, index }: BlockName): string => `${ledger}:${index}`;

export function readBlockName(text: string): BlockName | undefined {
  const [, ledger, digits = ''] = NAME.exec(text) ?? [];
  const index = readBlockIndex(digits);
  return ledger === undefined || index === undefined ? undefined : { ledger, index };
}

/** Decimal digits, canonical. */
export function readBlockIndex(text: string): bigint | undefined {
  if (!INDEX.test(text)) return undefined;
  const index = BigInt(text);
  return index <= MOST_INDEX ? index : undefined;
}
