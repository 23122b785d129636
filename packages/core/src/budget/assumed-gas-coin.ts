// Price of a gas coin where the configuration has none (`gasCoinUsd`). Only budgets use it: a limit that is off by half
// still stops an attack, and no amount of a payment depends on it.
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { gasCoinRate } from '../pricing/gas-coin.ts';
import { findChain } from '../token/chain.ts';

/** By the symbol of the coin: decimals and dollars. */
const ASSUMED: Readonly<Record<string, readonly [decimals: number, usd: string]>> = {
  ETH: [18, '3000'],
  POL: [18, '0.3'],
  AVAX: [18, '25'],
  SOL: [9, '150'],
};

/** Undefined for a chain whose coin is not in the list: it has no budgets. */
export function assumedGasCoin(network: NetworkId): Rate | undefined {
  const symbol = findChain(network)?.gasSymbol ?? 'ETH';
  const [decimals, usd] = ASSUMED[symbol] ?? [];
  return decimals === undefined || usd === undefined ? undefined : gasCoinRate(symbol, decimals, usd, 0);
}
