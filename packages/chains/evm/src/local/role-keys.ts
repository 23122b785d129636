// A key for every role of a local chain. The same seed gives the same keys, and so the same processor address.
import { concat, type Hex, keccak256, stringToHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

const SOLE_ROLES = [
  ...(['deployer', 'council', 'registrar', 'guardian', 'recovery', 'feeRecipient', 'faucet'] as const),
  // No role of a contract: approves direct payouts.
  'payoutApprover',
] as const;

export type LocalKey = { readonly privateKey: Hex; readonly account: PrivateKeyAccount };
export type RoleKeys = Readonly<Record<(typeof SOLE_ROLES)[number], LocalKey>> & {
  readonly relayers: readonly LocalKey[];
};

export function keyFrom(privateKey: Hex): LocalKey {
  return { privateKey, account: privateKeyToAccount(privateKey) };
}

export const newKey = (): LocalKey => keyFrom(generatePrivateKey());

/** `seed` is 32 random bytes: with it anybody has the key of every role. */
export function roleKeys(seed: Hex, relayerCount: number): RoleKeys {
  const derived = (name: string) => keyFrom(keccak256(concat([seed, stringToHex(name)])));
  const sole = Object.fromEntries(SOLE_ROLES.map((role) => [role, derived(role)])) as Omit<RoleKeys, 'relayers'>;
  return { ...sole, relayers: Array.from({ length: relayerCount }, (_, index) => derived(`relayer ${index}`)) };
}
