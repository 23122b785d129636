// A network has one internal name (`eip155:84532`, `solana:mainnet`, `icp:mainnet`) and several external ones. External
// names are parsed here and never compared directly.

declare const networkBrand: unique symbol;
export type NetworkId = string & { readonly [networkBrand]: true };

export type NetworkFamily = 'evm' | 'solana' | 'icp';

/** Chain type that a merchant reads in `payment.network`. */
const CHAIN_TYPES = { evm: 'evm', solana: 'sol', icp: 'ic' } as const satisfies Record<NetworkFamily, string>;
export type ChainType = (typeof CHAIN_TYPES)[NetworkFamily];

const NAMED_NETWORKS: Readonly<Record<string, string>> = {
  'solana:mainnet': 'solana:mainnet',
  'solana:devnet': 'solana:devnet',
  // CAIP-2 names a Solana cluster by the first 32 characters of its genesis hash.
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'solana:mainnet',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'solana:devnet',
  'icp:mainnet': 'icp:mainnet',
  'icp:local': 'icp:local',
};

const EVM_NAME = /^(?:eip155:)?([1-9]\d{0,15})$/;

/** Network for any of its accepted names, or undefined. */
export function parseNetwork(name: string): NetworkId | undefined {
  const chainId = EVM_NAME.exec(name)?.[1];
  if (chainId !== undefined) {
    return Number.isSafeInteger(Number(chainId)) ? (`eip155:${chainId}` as NetworkId) : undefined;
  }
  return Object.hasOwn(NAMED_NETWORKS, name) ? (NAMED_NETWORKS[name] as NetworkId) : undefined;
}

export function evmNetwork(chainId: number): NetworkId {
  const network = parseNetwork(String(chainId));
  if (network === undefined) throw new RangeError('not a chain id');
  return network;
}

export function familyOf(network: NetworkId): NetworkFamily {
  if (network.startsWith('eip155:')) return 'evm';
  return network.startsWith('solana:') ? 'solana' : 'icp';
}

export function chainTypeOf(network: NetworkId): ChainType {
  return CHAIN_TYPES[familyOf(network)];
}

/** Chain id of a wallet and an EIP-712 domain; undefined off EVM. */
export function chainIdOf(network: NetworkId): number | undefined {
  return familyOf(network) === 'evm' ? Number(network.slice('eip155:'.length)) : undefined;
}
