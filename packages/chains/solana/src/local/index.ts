export type { Faults, ProxiedCall } from './faults.ts';
export { hasLocalSolana } from './has-local-chain.ts';
export { DEVNET_USDC } from './local-mint.ts';
export { LOCAL_PROGRAM } from './local-program.ts';
export { type LocalSolana, type LocalSolanaOptions, startLocalSolana } from './start-local-chain.ts';
export type { NodeProxy } from './start-node-proxy.ts';
