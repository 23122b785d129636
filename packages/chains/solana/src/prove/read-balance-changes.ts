// Reads what a transaction did from the balances before and after it; its instructions prove nothing.
import { ChainUnavailable } from '@svc-pay/core';
import { accountKeysIn, type TransactionAnswer } from '../rpc/answer-shapes.ts';

export type Landing = {
  readonly slot: bigint;
  /** Null: the transaction succeeded. Otherwise it was charged for and had no other effect. */
  readonly error: unknown;
  /** Change of each token account in its mint; unchanged accounts are absent. */
  readonly changes: ReadonlyMap<string, { readonly mint: string; readonly deltaAtomic: bigint }>;
  /** Decrease of the fee payer's balance: the fee that a node reports may leave the priority fee out. */
  readonly costLamports: bigint;
  /** Change in lamports of each account except the fee payer. */
  readonly lamports: ReadonlyMap<string, bigint>;
  /** Every account that the transaction names. */
  readonly accounts: readonly string[];
};

/** Undefined for null, which a node returns for a transaction that it does not have. */
export function readLanding(told: TransactionAnswer | null): Landing | undefined {
  return told === null ? undefined : landingOf(told);
}

function landingOf(told: TransactionAnswer): Landing {
  const { slot, meta } = told;
  const accounts = accountKeysIn(told);
  const changes = new Map<string, { mint: string; deltaAtomic: bigint }>();
  const add = (balances: TransactionAnswer['meta']['preTokenBalances'], sign: bigint) => {
    for (const { accountIndex, mint, uiTokenAmount } of balances ?? []) {
      const account = accounts[Number(accountIndex)];
      if (account === undefined) throw new ChainUnavailable('getTransaction: a balance of no account');
      const before = changes.get(account)?.deltaAtomic ?? 0n;
      changes.set(account, { mint, deltaAtomic: before + sign * BigInt(uiTokenAmount.amount) });
    }
  };
  add(meta.preTokenBalances, -1n);
  add(meta.postTokenBalances, 1n);
  for (const [account, { deltaAtomic }] of changes) if (deltaAtomic === 0n) changes.delete(account);
  const [paidFrom, paidTo] = [meta.preBalances[0], meta.postBalances[0]];
  if (paidFrom === undefined || paidTo === undefined)
    throw new ChainUnavailable('getTransaction: no balance of the fee payer');
  const lamports = new Map<string, bigint>();
  for (const [index, account] of accounts.entries()) {
    const delta = (meta.postBalances[index] ?? 0n) - (meta.preBalances[index] ?? 0n);
    if (index > 0 && delta !== 0n) lamports.set(account, delta);
  }
  return { slot, error: meta.err, changes, costLamports: paidFrom - paidTo, lamports, accounts };
}
