// Parses a token account; both token programs begin it with the same layout.
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { base58Of } from '../bytes/base58.ts';
import { TOKEN_2022_PROGRAM } from './programs.ts';

export type TokenAccountData = {
  readonly mint: string;
  readonly owner: string;
  readonly amountAtomic: bigint;
  readonly frozen: boolean;
  /** Delegate that may move tokens of the account, and how many; null and 0 if there is none. */
  readonly delegate: string | null;
  readonly delegatedAtomic: bigint;
};

const BASE_BYTES = 165;
const IS_TOKEN_ACCOUNT = 2;
const FROZEN = 2;

/** Undefined for any other kind of account. */
export function readTokenAccount(account: {
  readonly owner: string;
  readonly data: Uint8Array;
}): TokenAccountData | undefined {
  const { owner, data } = account;
  const extended = owner === TOKEN_2022_PROGRAM && data.length > BASE_BYTES && data[BASE_BYTES] === IS_TOKEN_ACCOUNT;
  const plain = (owner === TOKEN_PROGRAM_ADDRESS || owner === TOKEN_2022_PROGRAM) && data.length === BASE_BYTES;
  if (!extended && !plain) return undefined;
  const bytes = Buffer.from(data);
  const state = bytes.readUInt8(108);
  if (state === 0) return undefined;
  const delegated = bytes.readUInt32LE(72) === 1;
  return {
    mint: base58Of(bytes.subarray(0, 32)),
    owner: base58Of(bytes.subarray(32, 64)),
    amountAtomic: bytes.readBigUInt64LE(64),
    frozen: state === FROZEN,
    delegate: delegated ? base58Of(bytes.subarray(76, 108)) : null,
    delegatedAtomic: delegated ? bytes.readBigUInt64LE(121) : 0n,
  };
}
