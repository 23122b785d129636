// Tokens whose address this package knows by itself, so that an answer which names another one is refused. A test holds
// the list to the service's catalogue.

export type KnownToken = {
  readonly network: string;
  readonly asset: string;
  /** Decimals of a token that costs one dollar; undefined when its price moves. */
  readonly dollarDecimals?: number;
};

/** A number is the chain id of an EVM chain. */
const token = (chain: number | string, asset: string): KnownToken => ({
  network: typeof chain === 'number' ? `eip155:${chain}` : chain,
  asset,
});
const dollar = (chain: number | string, asset: string): KnownToken => ({ ...token(chain, asset), dollarDecimals: 6 });

export const KNOWN_TOKENS: Readonly<Record<string, KnownToken>> = {
  eth_usdc: dollar(1, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  eth_eurc: token(1, '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c'),
  base_usdc: dollar(8453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  base_eurc: token(8453, '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'),
  polygon_usdc: dollar(137, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
  arbitrum_usdc: dollar(42161, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
  arbitrum_arb: token(42161, '0x912CE59144191C1204E64559FE8253a0e49E6548'),
  avalanche_usdc: dollar(43114, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
  avalanche_eurc: token(43114, '0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD'),
  basesepolia_usdc: dollar(84532, '0x036CbD53842c5426634e7929541eC2318f3dCF7e'),
  basesepolia_eurc: token(84532, '0x808456652fdb597867f38412077A9182bf77359F'),
  sol_usdc: dollar('solana:mainnet', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  sol_eurc: token('solana:mainnet', 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr'),
  soldevnet_usdc: dollar('solana:devnet', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
  ic_ckusdc: dollar('icp:mainnet', 'xevnm-gaaaa-aaaar-qafnq-cai'),
  iclocal_ckusdc: dollar('icp:local', 'bkyz2-fmaaa-aaaaa-qaaaq-cai'),
  anvil_usdc: dollar(31337, '0x5fC0000000000000000000000000000000000001'),
  anvil_vol: token(31337, '0x5fC0000000000000000000000000000000000002'),
  anvil_plain: dollar(31337, '0x5fC0000000000000000000000000000000000003'),
};

/** Decimals of the token at this address, if it is known to cost one dollar. */
export function dollarDecimalsOf(network: string, isAsset: (asset: string) => boolean): number | undefined {
  const known = Object.values(KNOWN_TOKENS).find((one) => one.network === network && isAsset(one.asset));
  return known?.dollarDecimals;
}
