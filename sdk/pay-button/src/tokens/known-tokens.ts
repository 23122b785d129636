// Names and decimals of the tokens in the service's catalogue, for showing them. A test holds the list to the catalogue.
import { parseNetwork } from '@svc-pay/protocol';

export type ListedToken = {
  readonly shortcode: string;
  readonly network: string;
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
};

const row = (shortcode: string, chain: number | string, asset: string, symbol = 'USDC', decimals = 6): ListedToken => ({
  shortcode,
  network: typeof chain === 'number' ? `eip155:${chain}` : chain,
  asset,
  symbol,
  decimals,
});

export const KNOWN_TOKENS: readonly ListedToken[] = [
  row('eth_usdc', 1, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  row('eth_eurc', 1, '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', 'EURC'),
  row('base_usdc', 8453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  row('base_eurc', 8453, '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', 'EURC'),
  row('polygon_usdc', 137, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
  row('arbitrum_usdc', 42161, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
  row('arbitrum_arb', 42161, '0x912CE59144191C1204E64559FE8253a0e49E6548', 'ARB', 18),
  row('avalanche_usdc', 43114, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
  row('avalanche_eurc', 43114, '0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD', 'EURC'),
  row('basesepolia_usdc', 84532, '0x036CbD53842c5426634e7929541eC2318f3dCF7e'),
  row('basesepolia_eurc', 84532, '0x808456652fdb597867f38412077A9182bf77359F', 'EURC'),
  row('anvil_usdc', 31337, '0x5fC0000000000000000000000000000000000001'),
  row('anvil_vol', 31337, '0x5fC0000000000000000000000000000000000002', 'VOL', 18),
  row('anvil_plain', 31337, '0x5fC0000000000000000000000000000000000003', 'PLAIN', 6),
  row('sol_usdc', 'solana:mainnet', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  row('sol_eurc', 'solana:mainnet', 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr', 'EURC'),
  row('soldevnet_usdc', 'solana:devnet', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
  row('ic_ckusdc', 'icp:mainnet', 'xevnm-gaaaa-aaaar-qafnq-cai', 'ckUSDC'),
  row('iclocal_ckusdc', 'icp:local', 'bkyz2-fmaaa-aaaaa-qaaaq-cai', 'ckUSDC'),
];

export function tokenAt(network: string, asset: string): ListedToken | undefined {
  const id = parseNetwork(network);
  return KNOWN_TOKENS.find((one) => one.network === id && isSame(one, asset));
}

export function tokenNamed(shortcode: string | undefined): ListedToken | undefined {
  return KNOWN_TOKENS.find((one) => one.shortcode === shortcode);
}

/** Letters of an EVM address mean the same in either case; elsewhere they do not. */
function isSame({ network, asset }: ListedToken, other: string): boolean {
  return network.startsWith('eip155:') ? asset.toLowerCase() === other.toLowerCase() : asset === other;
}
