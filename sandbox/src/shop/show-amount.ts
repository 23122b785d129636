const DECIMALS = 6;
const ONE = 10n ** BigInt(DECIMALS);

/** Formats `4200000` as `4.20`: six decimals, of which at least two are shown and trailing zeros are not. */
export function showAmount(amountAtomic: string | bigint): string {
  const amount = BigInt(amountAtomic);
  const sign = amount < 0n ? '−' : '';
  const size = amount < 0n ? -amount : amount;
  const decimals = String(size % ONE)
    .padStart(DECIMALS, '0')
    .replace(/0{1,4}$/, '');
  return `${sign}${size / ONE}.${decimals}`;
}
