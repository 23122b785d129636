// The state of the chain as far as payments see it, and the logs of the token.
import { type Hex, toEventSelector } from 'viem';

/** Replaced, never changed: blocks keep theirs. */
export type ChainState = {
  readonly nonces: ReadonlyMap<string, bigint>;
  readonly balances: ReadonlyMap<string, bigint>;
  /** `<payer> <nonce>` of authorizations. */
  readonly used: ReadonlySet<string>;
  readonly settledCodes: ReadonlySet<bigint>;
  /** `<payer> <nonce>` of stranded transfers that were settled or returned. */
  readonly recovered: ReadonlySet<string>;
  /** The processor is paused as of this block. */
  readonly paused: boolean;
};

export type Log = { readonly address: string; readonly topics: readonly Hex[]; readonly data: Hex };
export type SettleResult = { readonly intentCode: bigint; readonly payer: string; readonly settledAtomic: bigint };
export type Played = {
  readonly state: ChainState;
  readonly logs: readonly Log[];
  readonly settled: readonly SettleResult[];
  /** `<payer> <nonce>` of a stranded transfer that it settled or returned. */
  readonly resolved?: { readonly key: string; readonly action: 'settle' | 'return' };
};

export const PROCESSOR = '0x2222222222222222222222222222222222222222';
/** In the catalogue of tokens, so that a restore knows it. */
export const TOKEN = '0x036cbd53842c5426634e7929541ec2318f3dcf7e';
export const MERCHANT = '0x6666666666666666666666666666666666666666';
/** Wallets of direct payouts: one that only we have payments signed to, and one that others use too. */
export const WALLETS = {
  exclusive: '0x7777777777777777777777777777777777777777',
  shared: '0x8888888888888888888888888888888888888888',
} as const;
export const FEE_RECIPIENT = `0x${'fe'.repeat(20)}`;
export const FEE_BPS = 100;

export const SETTLED = toEventSelector('PaymentSettled(uint64,address,address,uint64,uint256,uint256,uint256)');
export const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
export const USED = toEventSelector('AuthorizationUsed(address,bytes32)');

export const word = (value: bigint | string): Hex =>
  `0x${(typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')}`;
export const words = (...values: readonly bigint[]): Hex => `0x${values.map((value) => word(value).slice(2)).join('')}`;

export function use(payer: string, nonce: string): Log {
  return { address: TOKEN, topics: [USED, word(payer), word(nonce)], data: '0x' };
}

export function transfer(from: string, to: string, amountAtomic: bigint): Log {
  return { address: TOKEN, topics: [TRANSFER, word(from), word(to)], data: word(amountAtomic) };
}
