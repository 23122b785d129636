// What the account can be paid in, as the service's `/x402/supported` tells it: per network the tokens whose price is one
// dollar, each with the address that it is paid to.
import type { X402Supported } from '@svc-pay/protocol/x402';

export type SoldToken = {
  /** CAIP-2, such as `eip155:8453`. */
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  readonly decimals: number;
  /** What a stock client signs with: the token's `name` and `version` on EVM, `feePayer` on Solana. */
  readonly extra: Readonly<Record<string, unknown>>;
};

const MAX_DECIMALS = 36;

export function soldTokensOf({ kinds }: X402Supported, networks: readonly string[] | undefined): readonly SoldToken[] {
  return kinds
    .filter(({ x402Version, scheme }) => x402Version === 2 && scheme === 'exact')
    .filter(({ network }) => networks?.includes(network) ?? true)
    .flatMap(({ network, extra = {} }) => {
      const { tokens } = extra;
      return Array.isArray(tokens) ? tokens.flatMap((token: unknown) => soldToken(network, token, extra) ?? []) : [];
    });
}

function soldToken(
  network: string,
  token: unknown,
  { feePayer }: Readonly<Record<string, unknown>>,
): SoldToken | undefined {
  if (typeof token !== 'object' || token === null) return undefined;
  const { asset, payTo, decimals, name, version } = token as Readonly<Record<string, unknown>>;
  if (typeof asset !== 'string' || typeof payTo !== 'string') return undefined;
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > MAX_DECIMALS)
    return undefined;
  const domain = typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined;
  const extra = domain ?? (typeof feePayer === 'string' ? { feePayer } : undefined);
  return extra && { network, asset, payTo, decimals, extra };
}
