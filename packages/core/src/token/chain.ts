// A chain that the service knows. RPC endpoints and processor of a chain are configuration, not data.
import { type NetworkId, networkName, parseNetwork } from '@svc-pay/protocol';
import type { Mode } from '../account/mode.ts';

export type Chain = {
  readonly network: NetworkId;
  readonly name: string;
  readonly mode: Mode;
  /** Symbol of the coin that pays for gas. */
  readonly gasSymbol: string;
  /** One whole coin is 10^`gasDecimals` smallest units. */
  readonly gasDecimals: number;
  /** Seconds between two blocks, rounded up to whole ones; `blockSeconds` of the configuration overrides it. */
  readonly blockSeconds: number;
  /**
   * Smallest payment in dollars unless the configuration has `minimumUsd`: about the gas cost of one payment in a batch
   * there (docs/operate/payment-limits.md). '0' on test networks, where gas is free.
   */
  readonly minimumUsd: string;
  /** A public RPC URL with which a wallet can add the chain; undefined off EVM. */
  readonly rpcUrlPublic?: string;
};

type Line = Omit<Chain, 'network' | 'name' | 'minimumUsd' | 'gasDecimals'> & {
  readonly network: string;
  readonly minimumUsd?: string;
  readonly gasDecimals?: number;
};

function chain({ network, minimumUsd = '0', gasDecimals = 18, ...line }: Line): Chain {
  const id = parseNetwork(network);
  const name = networkName(network);
  if (id === undefined || name === undefined) throw new Error(`${network} is no network with a name`);
  return { ...line, network: id, name, minimumUsd, gasDecimals };
}

export const CHAINS: readonly Chain[] = [
  chain({
    network: 'eip155:1',
    mode: 'live',
    gasSymbol: 'ETH',
    blockSeconds: 12,
    minimumUsd: '2',
    rpcUrlPublic: 'https://cloudflare-eth.com',
  }),
  chain({
    network: 'eip155:8453',
    mode: 'live',
    gasSymbol: 'ETH',
    blockSeconds: 2,
    minimumUsd: '0.01',
    rpcUrlPublic: 'https://mainnet.base.org',
  }),
  chain({
    network: 'eip155:137',
    mode: 'live',
    gasSymbol: 'POL',
    blockSeconds: 2,
    minimumUsd: '0.01',
    rpcUrlPublic: 'https://polygon-rpc.com',
  }),
  chain({
    network: 'eip155:42161',
    mode: 'live',
    gasSymbol: 'ETH',
    blockSeconds: 1,
    minimumUsd: '0.02',
    rpcUrlPublic: 'https://arb1.arbitrum.io/rpc',
  }),
  chain({
    network: 'eip155:43114',
    mode: 'live',
    gasSymbol: 'AVAX',
    blockSeconds: 2,
    minimumUsd: '0.02',
    rpcUrlPublic: 'https://api.avax.network/ext/bc/C/rpc',
  }),
  chain({
    network: 'eip155:84532',
    mode: 'test',
    gasSymbol: 'ETH',
    blockSeconds: 2,
    rpcUrlPublic: 'https://sepolia.base.org',
  }),
  chain({
    network: 'eip155:31337',
    mode: 'test',
    gasSymbol: 'ETH',
    blockSeconds: 1,
    rpcUrlPublic: 'http://127.0.0.1:8545',
  }),
  chain({
    network: 'solana:mainnet',
    mode: 'live',
    gasSymbol: 'SOL',
    gasDecimals: 9,
    blockSeconds: 1,
    minimumUsd: '0.01',
  }),
  chain({
    network: 'solana:devnet',
    mode: 'test',
    gasSymbol: 'SOL',
    gasDecimals: 9,
    blockSeconds: 1,
  }),
  chain({
    network: 'icp:mainnet',
    mode: 'live',
    gasSymbol: 'ICP',
    gasDecimals: 8,
    blockSeconds: 2,
  }),
  chain({
    network: 'icp:local',
    mode: 'test',
    gasSymbol: 'ICP',
    gasDecimals: 8,
    blockSeconds: 1,
  }),
];

export function findChain(network: NetworkId): Chain | undefined {
  return CHAINS.find((known) => known.network === network);
}

/** Payouts of the network are in a registry on its chain, where they are retired. Elsewhere the database is all there is of them. */
export const registersPayouts = (network: string): boolean => network.startsWith('eip155:');
