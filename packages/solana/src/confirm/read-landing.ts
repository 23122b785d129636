// What a transaction did, by the balances before and after it; what it was asked to do proves nothing.
import { ChainUnavailable } from '@svc-pay/core';

export type Landing = {
  readonly slot: bigint;
  /** Null: it did what it says. Else it was charged for and undone. */
  readonly error: unknown;
  /** By token account: what it gained, or lost, of its mint. Those that stayed as they were are left out. */
  readonly changes: ReadonlyMap<string, { readonly mint: string; readonly deltaAtomic: bigint }>;
  /** What the fee payer is poorer by: a node's own word for the fee may leave the priority fee out. */
  readonly costLamports: bigint;
  /** By account: lamports that it gained or lost, the fee payer left out. */
  readonly lamports: ReadonlyMap<string, bigint>;
};

type RawBalance = {
  readonly accountIndex: bigint;
  readonly mint: string;
  readonly uiTokenAmount: { readonly amount: string };
};
type RawTransaction = {
  readonly slot: bigint;
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
  readonly meta: {
    readonly err: unknown;
    readonly preBalances: readonly bigint[];
    readonly postBalances: readonly bigint[];
    readonly preTokenBalances?: readonly RawBalance[] | null;
    readonly postTokenBalances?: readonly RawBalance[] | null;
  } | null;
};

/** Undefined for null, which is a node's word for one that it does not have. */
export function readLanding(raw: unknown): Landing | undefined {
  if (raw === null || raw === undefined) return undefined;
  try {
    return landingOf(raw as RawTransaction);
  } catch (problem) {
    throw new ChainUnavailable('a transaction that can’t be read', { cause: problem });
  }
}

function landingOf({ slot, transaction, meta }: RawTransaction): Landing {
  if (meta === null) throw new TypeError('no balances');
  const accounts = transaction.message.accountKeys;
  const changes = new Map<string, { mint: string; deltaAtomic: bigint }>();
  const add = (balances: readonly RawBalance[] | null | undefined, sign: bigint) => {
    for (const { accountIndex, mint, uiTokenAmount } of balances ?? []) {
      const account = accounts[Number(accountIndex)];
      if (account === undefined) throw new TypeError('a balance of no account');
      const before = changes.get(account)?.deltaAtomic ?? 0n;
      changes.set(account, { mint, deltaAtomic: before + sign * BigInt(uiTokenAmount.amount) });
    }
  };
  add(meta.preTokenBalances, -1n);
  add(meta.postTokenBalances, 1n);
  for (const [account, { deltaAtomic }] of changes) if (deltaAtomic === 0n) changes.delete(account);
  const [paidFrom, paidTo] = [meta.preBalances[0], meta.postBalances[0]];
  if (paidFrom === undefined || paidTo === undefined) throw new TypeError('no fee payer');
  const lamports = new Map<string, bigint>();
  for (const [index, account] of accounts.entries()) {
    const delta = (meta.postBalances[index] ?? 0n) - (meta.preBalances[index] ?? 0n);
    if (index > 0 && delta !== 0n) lamports.set(account, delta);
  }
  return { slot, error: meta.err ?? null, changes, costLamports: paidFrom - paidTo, lamports };
}
