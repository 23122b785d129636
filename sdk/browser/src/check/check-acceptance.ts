// An acceptance against what was asked, before anybody is asked to sign it. Whoever changed it on the way, the payer signs
// what the page said or nothing.
import { type Acceptance, chainIdOf, parseNetwork } from '@svc-pay/protocol';
import { type Asked, areDollars } from './asked.ts';
import { dollarDecimalsOf } from './known-tokens.ts';

/** The part that is not as asked. */
export type Difference = 'scheme' | 'network' | 'asset' | 'payTo' | 'amount' | 'window' | 'intent';

const DEFAULT_WINDOW_SECONDS = 300;

export function differenceFrom(asked: Asked, offered: Acceptance, paymentIntentId: string): Difference | undefined {
  const { extra, asset, payTo } = offered;
  if (offered.scheme !== asked.scheme) return 'scheme';
  const network = parseNetwork(offered.network);
  if (network === undefined || (asked.network !== undefined && network !== asked.network)) return 'network';
  const chainId = chainIdOf(network);
  if (chainId !== undefined && extra?.rpcChainId !== undefined && extra.rpcChainId !== String(chainId))
    return 'network';
  if (asked.asset !== undefined && !isSame(asked.asset, asset ?? payTo, chainId)) return 'asset';
  if (asked.payTo?.some((one) => isSame(one, payTo, chainId)) === false) return 'payTo';
  const offeredAtomic = BigInt(offered.maxAmountRequired);
  if (!isAmountAsked(asked, offeredAtomic)) return 'amount';
  const decimals = dollarDecimalsOf(network, (known) => isSame(known, asset ?? payTo, chainId));
  const isDollar = asked.dollars !== undefined && decimals !== undefined;
  if (isDollar && !areDollars(offeredAtomic, asked.dollars, decimals)) return 'amount';
  const windowSeconds = offered.maxTimeoutSeconds ?? DEFAULT_WINDOW_SECONDS;
  if (windowSeconds === 0 || windowSeconds > asked.maxTimeoutSeconds) return 'window';
  return extra?.intentId !== undefined && extra.intentId !== paymentIntentId ? 'intent' : undefined;
}

function isAmountAsked({ amountAtomic, maxAmountAtomic }: Asked, offeredAtomic: bigint): boolean {
  if (offeredAtomic === 0n) return false;
  if (amountAtomic !== undefined && offeredAtomic !== amountAtomic) return false;
  return maxAmountAtomic === undefined || offeredAtomic <= maxAmountAtomic;
}

/** Letters of an EVM address mean the same in either case; elsewhere they do not. */
function isSame(one: string, other: string, chainId: number | undefined): boolean {
  return chainId === undefined ? one === other : one.toLowerCase() === other.toLowerCase();
}
