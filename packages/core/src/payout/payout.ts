// A payout as stored. The terms of a payout id never change, because an open authorization may refer to it: other terms
// get another id, and new intents use the newest active id.
import type { Split } from '@svc-pay/money';
import type { Mode } from '../account/mode.ts';
import { normalizeAddress } from '../token/address.ts';
import type { WalletUse } from './activation.ts';
import type { PayoutStatus } from './payout-transitions.ts';

export type Payout = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly network: string;
  readonly processor: string;
  readonly payoutId: string;
  readonly merchant: string;
  readonly feeBps: number;
  readonly splits: readonly Split[];
  readonly status: PayoutStatus;
  /** Set for a direct payout, whose `processor` and `merchant` are the wallet. */
  readonly direct?: DirectTerms;
};

/** What an operator reads about a direct payout; `unreadable` where the row is not of the form that we write. */
export type DirectTerms = {
  readonly asset: string;
  readonly use: WalletUse | 'unreadable';
  /** ISO time from which new intents use it. */
  readonly activeFrom: string;
  readonly approver: string;
};

/** Who receives how much of a payment. */
export type PayoutShares = Pick<Payout, 'merchant' | 'feeBps' | 'splits'>;

/** The order of the splits counts: it decides who gets a rounded unit. */
export function sameShares(one: PayoutShares, other: PayoutShares): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf({ merchant, feeBps, splits }: PayoutShares): string {
  return JSON.stringify([normalizeAddress(merchant), feeBps, splits.map(({ to, bps }) => [normalizeAddress(to), bps])]);
}
