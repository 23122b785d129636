// Calls of contracts as words of 32 bytes, without an ABI library.
export const SELECTORS = {
  balanceOf: '0x70a08231',
  nonces: '0x7ecebe00',
  allowance: '0xdd62ed3e',
  approve: '0x095ea7b3',
  /** pay(address token, uint64 intentCode, uint64 payoutId, uint256 amount) */
  pay: '0xefb8f9ea',
  /** transferWithAuthorization with the signature as v, r, s: the form that every such token has. */
  transferByKey: '0xe3ee160e',
  /** transferWithAuthorization with the signature as bytes: for wallets that are contracts. */
  transferByContract: '0xcf092995',
} as const;

/** A number, or an address or hash in hex. */
export const wordOf = (value: string | number | bigint): string =>
  (typeof value === 'string' && value.startsWith('0x')
    ? value.slice(2).toLowerCase()
    : BigInt(value).toString(16)
  ).padStart(64, '0');

export const callOf = (selector: string, ...words: readonly (string | number | bigint)[]): string =>
  selector + words.map(wordOf).join('');

/** A word that a contract answered; undefined for anything else. */
export const numberIn = (answer: unknown): bigint | undefined =>
  typeof answer === 'string' && /^0x[0-9a-fA-F]{64}$/.test(answer) ? BigInt(answer) : undefined;
