import type { Address } from 'viem';
import { setBalanceCall } from '../../mock-balances.ts';
import { createAskChain } from '../checker/ask-chain.ts';
import type { Ground } from './attacker.ts';

/** Each owner has exactly this much of the token afterwards. */
export async function fund(
  { rpcUrl, token }: Pick<Ground, 'rpcUrl' | 'token'>,
  owners: readonly Address[],
  atomic: bigint,
): Promise<void> {
  await createAskChain(rpcUrl)(owners.map((owner) => setBalanceCall(token, owner, atomic)));
}
