// The processor limits how much of a token one relayer may move within an hour. A payment above that cap can never be
// settled in one transaction, so it is neither offered nor taken.
import { sameAddress } from './address.ts';

/** A token's hourly cap as settlement last read it from the chain. */
export type HourlyCap = { readonly network: string; readonly asset: string; readonly capAtomic: bigint };

/** A cap that was not read yet refuses nothing. */
export function exceedsHourlyCap(
  caps: readonly HourlyCap[],
  network: string,
  asset: string,
  amountAtomic: bigint,
): boolean {
  const known = caps.find((cap) => cap.network === network && sameAddress(cap.asset, asset));
  return known !== undefined && amountAtomic > known.capAtomic;
}
