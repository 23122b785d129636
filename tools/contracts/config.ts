// Where the contract tools find things.
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');
export const WORK_DIRECTORY = path.join(ROOT, '.cache/contracts');
export const ARTIFACTS = path.join(ROOT, '.cache/forge/out');
export const GENERATED = path.join(ROOT, 'packages/chains/evm/src/generated');
export const GAS_SNAPSHOT = path.join(ROOT, 'contracts/evm/gas-snapshot.json');

export const DEPLOYMENTS = path.join(ROOT, 'contracts/deployments');

/** A contract may have this many bytes of code (EIP-170). */
export const MAX_CODE_BYTES = 24_576;

/** Profiles of foundry.toml. */
export type ForgeProfile = 'default' | 'tests' | 'deep';

/** `artifacts` makes the tests deploy the contracts that were built there, relative to the root. */
export function forgeEnvironment(profile: ForgeProfile, artifacts = ''): NodeJS.ProcessEnv {
  return { ...process.env, FOUNDRY_PROFILE: profile, CONTRACT_ARTIFACTS: artifacts };
}
