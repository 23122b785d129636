// All known tokens. A new token is a new line here; accounts then enable it by its shortcode.
import { token } from '@svc-pay/money';
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import { CHAINS } from './chain.ts';
import type { Signing, TokenEntry } from './token-entry.ts';

type Line = {
  readonly symbol: string;
  readonly address: string;
  readonly decimals?: number;
  readonly signing?: Signing;
  readonly domain?: readonly [name: string, version: string];
  readonly directLogs?: TokenEntry['directLogs'];
  readonly transferFee?: bigint;
  readonly feed?: string;
};

const usdc = (address: string, domainName = 'USD Coin'): Line => ({
  symbol: 'USDC',
  address,
  domain: [domainName, '2'],
  directLogs: 'used_then_transfer',
});
const eurc = (address: string, domainName = 'EURC'): Line => ({
  symbol: 'EURC',
  address,
  domain: [domainName, '2'],
  directLogs: 'used_then_transfer',
  feed: 'EURC',
});

const ckusdc = (address: string): Line => ({ symbol: 'ckUSDC', address, signing: 'none', transferFee: 10_000n });

const TOKENS_BY_NETWORK: Readonly<Record<string, Readonly<Record<string, Line>>>> = {
  'eip155:1': {
    eth_usdc: usdc('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
    eth_eurc: eurc('0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', 'Euro Coin'),
  },
  'eip155:8453': {
    base_usdc: usdc('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
    base_eurc: eurc('0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'),
  },
  'eip155:137': { polygon_usdc: usdc('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359') },
  'eip155:42161': {
    arbitrum_usdc: usdc('0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
    arbitrum_arb: {
      symbol: 'ARB',
      address: '0x912CE59144191C1204E64559FE8253a0e49E6548',
      decimals: 18,
      signing: 'Permit',
      domain: ['Arbitrum', '1'],
      feed: 'ARB',
    },
  },
  'eip155:43114': {
    avalanche_usdc: usdc('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
    avalanche_eurc: eurc('0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD', 'Euro Coin'),
  },
  'eip155:84532': {
    basesepolia_usdc: usdc('0x036CbD53842c5426634e7929541eC2318f3dCF7e', 'USDC'),
    basesepolia_eurc: eurc('0x808456652fdb597867f38412077A9182bf77359F'),
  },
  // Mock tokens, deployed at these addresses by the local chain's setup.
  'eip155:31337': {
    anvil_usdc: usdc('0x5fC0000000000000000000000000000000000001'),
    anvil_vol: {
      symbol: 'VOL',
      address: '0x5fC0000000000000000000000000000000000002',
      decimals: 18,
      signing: 'Permit',
      domain: ['Volatile', '1'],
      feed: 'VOL',
    },
    anvil_plain: { symbol: 'PLAIN', address: '0x5fC0000000000000000000000000000000000003', signing: 'none' },
  },
  'solana:mainnet': {
    sol_usdc: { symbol: 'USDC', address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
    sol_eurc: { symbol: 'EURC', address: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr', feed: 'EURC' },
  },
  'solana:devnet': {
    soldevnet_usdc: { symbol: 'USDC', address: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' },
  },
  'icp:mainnet': { ic_ckusdc: ckusdc('xevnm-gaaaa-aaaar-qafnq-cai') },
  // The first ledger of the local Internet Computer.
  'icp:local': { iclocal_ckusdc: ckusdc('bkyz2-fmaaa-aaaaa-qaaaq-cai') },
};

export const TOKENS: readonly TokenEntry[] = Object.entries(TOKENS_BY_NETWORK).flatMap(([network, lines]) =>
  Object.entries(lines).map(([shortcode, line]) => entryOf(shortcode, network, line)),
);

function entryOf(shortcode: string, networkName: string, line: Line): TokenEntry {
  const network = parseNetwork(networkName) as NetworkId;
  if (!CHAINS.some((chain) => chain.network === network)) throw new Error(`${shortcode}: no chain ${networkName}`);
  return {
    shortcode,
    network,
    symbol: line.symbol,
    address: line.address,
    unit: token(shortcode, line.decimals ?? 6),
    signing: line.signing ?? 'TransferWithAuthorization',
    ...(line.domain && { domain: { name: line.domain[0], version: line.domain[1] } }),
    ...(line.directLogs && { directLogs: line.directLogs }),
    ...(line.transferFee !== undefined && { transferFee: line.transferFee }),
    price: line.feed === undefined ? 'fixed' : { feed: line.feed },
  };
}
