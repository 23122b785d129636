// What a final transaction did to token balances. Its instructions prove nothing: any program may have moved the money.
import { atomicAmount, breakDown, payoutTerms } from '@svc-pay/money';
import type { PayoutShares } from '../payout/payout.ts';

export type MovedBalance = {
  readonly mint: string;
  /** Owner of the token account: of a credit afterwards, of a debit before. */
  readonly owner: string;
  readonly deltaAtomic: bigint;
  /** The account is where the owner's tokens of the mint are expected. Money elsewhere pays nobody. */
  readonly isAssociated: boolean;
  readonly hasSigned: boolean;
};

export type TokenMovement = {
  readonly transactionId: string;
  readonly slot: bigint;
  /** Undefined where no node has kept it. */
  readonly blockTimeSeconds: bigint | undefined;
  readonly feePayer: string;
  readonly changes: readonly MovedBalance[];
};

/** Who gets what of an amount in one mint. */
export type LegTerms = { readonly mint: string; readonly shares: PayoutShares; readonly feeRecipient: string };

export type MeasuredPayment = {
  /** The greatest amount of which every recipient got its whole share. */
  readonly paidAtomic: bigint;
  /** What the recipients got beyond these shares. */
  readonly surplusAtomic: bigint;
};

/**
 * A recipient who got too little lowers the whole: money that went to the others instead pays nothing more. `askedAtomic` is
 * tried by itself, because shares are rounded and the search might miss it.
 */
export function measurePayment(
  { changes }: Pick<TokenMovement, 'changes'>,
  terms: LegTerms,
  askedAtomic: bigint,
): MeasuredPayment {
  const { mint, shares, feeRecipient } = terms;
  const owners = new Set([shares.merchant, feeRecipient, ...shares.splits.map(({ to }) => to)]);
  const got = new Map([...owners].map((owner) => [owner, receivedBy(changes, mint, owner)]));
  const total = [...got.values()].reduce((sum, amount) => sum + amount, 0n);
  const covers = (amountAtomic: bigint): boolean => {
    const wanted = sharesOfAmount(amountAtomic, terms);
    return wanted !== undefined && [...wanted].every(([owner, share]) => share <= (got.get(owner) ?? 0n));
  };
  const paidAtomic = total === 0n ? 0n : greatestCovered(total, askedAtomic, covers);
  return { paidAtomic, surplusAtomic: total - paidAtomic };
}

function greatestCovered(total: bigint, askedAtomic: bigint, covers: (amountAtomic: bigint) => boolean): bigint {
  if (covers(total)) return total;
  let [low, high] = [0n, total];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (covers(middle)) low = middle;
    else high = middle;
  }
  return askedAtomic > low && askedAtomic <= total && covers(askedAtomic) ? askedAtomic : low;
}

/** By recipient, who may have several shares. Undefined for an amount that can't be divided. */
function sharesOfAmount(
  amountAtomic: bigint,
  { shares, feeRecipient }: LegTerms,
): ReadonlyMap<string, bigint> | undefined {
  const made = payoutTerms(shares);
  const amount = atomicAmount(amountAtomic);
  const broken = made.ok ? breakDown(amount, amount, made.terms) : undefined;
  if (broken?.ok !== true) return undefined;
  const { merchantAtomic, feeAtomic, splits } = broken.breakdown;
  const wanted = new Map<string, bigint>();
  const add = (owner: string, share: bigint) => wanted.set(owner, (wanted.get(owner) ?? 0n) + share);
  add(shares.merchant, merchantAtomic);
  if (feeAtomic > 0n) add(feeRecipient, feeAtomic);
  for (const { to, amountAtomic: share } of splits) add(to, share);
  return wanted;
}

function receivedBy(changes: readonly MovedBalance[], mint: string, owner: string): bigint {
  const own = changes.filter((change) => change.isAssociated && change.mint === mint && change.owner === owner);
  const sum = own.reduce((all, { deltaAtomic }) => all + deltaAtomic, 0n);
  return sum > 0n ? sum : 0n;
}

/**
 * The owner of the account that was debited most, of those who signed if any did. A program may pay for a wallet that it
 * holds, as a multisig does: then nobody who was debited signed. Money that came from nowhere is the fee payer's.
 */
export function payerOfMovement(
  { changes, feePayer }: Pick<TokenMovement, 'changes' | 'feePayer'>,
  mint: string,
): string {
  const debited = changes.filter((change) => change.mint === mint && change.deltaAtomic < 0n);
  const signed = debited.filter(({ hasSigned }) => hasSigned);
  const [most] = (signed.length > 0 ? signed : debited).toSorted(
    (one, other) => Number(one.deltaAtomic - other.deltaAtomic) || (one.owner < other.owner ? -1 : 1),
  );
  return most?.owner ?? feePayer;
}
