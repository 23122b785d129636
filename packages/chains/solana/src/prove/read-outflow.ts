import { tokenAccountOf } from '../transfer/token-account.ts';
import type { Landing } from './read-balance-changes.ts';

/** What left one wallet, by the balances alone. */
export type Outflow = {
  readonly wallet: string;
  readonly amountAtomic: bigint;
  /** What each token account got, by its address. */
  readonly gains: ReadonlyMap<string, bigint>;
};

export type OutflowQuestion = {
  /** Wallets of which one must have paid. */
  readonly wallets: readonly string[];
  readonly mint: string;
  readonly tokenProgram: string;
};

/**
 * Undefined unless exactly one account of the mint lost tokens, and it is the associated account of one of the wallets: then
 * all that any other account got came from that wallet.
 */
export async function readOutflow(
  { error, changes }: Landing,
  { wallets, mint, tokenProgram }: OutflowQuestion,
): Promise<Outflow | undefined> {
  if (error !== null) return undefined;
  const moved = [...changes].filter(([, change]) => change.mint === mint);
  const [lost, ...others] = moved.filter(([, { deltaAtomic }]) => deltaAtomic < 0n);
  if (lost === undefined || others.length > 0) return undefined;
  const [source, { deltaAtomic }] = lost;
  for (const wallet of wallets) {
    if ((await tokenAccountOf(wallet, mint, tokenProgram)) !== source) continue;
    const gains = moved
      .filter(([account]) => account !== source)
      .map(([account, gain]) => [account, gain.deltaAtomic] as const);
    return { wallet, amountAtomic: -deltaAtomic, gains: new Map(gains) };
  }
  return undefined;
}
