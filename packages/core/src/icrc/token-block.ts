// A block of a token ledger, and its name as a transaction.
import type { IcrcAccount } from './account-text.ts';

export type TokenTransfer = {
  /** Of a transfer by allowance too the account that was debited. */
  readonly from: IcrcAccount;
  readonly to: IcrcAccount;
  readonly amountAtomic: bigint;
  readonly memo: Uint8Array | null;
};

export type TokenBlock = {
  readonly index: bigint;
  readonly hash: Uint8Array;
  /** Null for the first block of the ledger. */
  readonly parentHash: Uint8Array | null;
  readonly timestampNs: bigint;
  /** Null for everything else: a mint, a burn, an approval, an unknown kind. */
  readonly transfer: TokenTransfer | null;
};

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
