// A local chain for development, benches and tests. Needs Anvil, which production does not install.
export type { AnvilActions } from './anvil-actions.ts';
export { BASE_SEPOLIA_CHAIN_ID, MOCK_TOKENS, type MockTokenName } from './mock-tokens.ts';
export { keyFrom, type LocalKey, newKey, type RoleKeys, roleKeys } from './role-keys.ts';
export { type ChainOptions, type LocalChain, startChain } from './start-chain.ts';
