// Who pays on the token ledger, and how: as asked, in parts, too little, too much, twice, late, from another account, to another
// account, with another memo, or not at all.
import { sampleAccount } from '@svc-pay/core/testing';
import type { Dice } from '../../chaos/harness/dice.ts';

export const MERCHANT_ACCOUNT = sampleAccount(7);
/** Of another merchant's payout, and of nobody here. */
export const RIVAL_ACCOUNT = sampleAccount(6);
const FOREIGN_ACCOUNT = sampleAccount(8);

export type PlannedTransfer = {
  /** From the creation of the intent. */
  readonly afterMs: number;
  readonly from: string;
  readonly to: string;
  readonly amountAtomic: bigint;
  /** `other`: of the intent before. `unknown`: of no intent. `none`: not of our form. */
  readonly memo: 'own' | 'other' | 'unknown' | 'none';
  /** The client tells its block. */
  readonly notifies: boolean;
};

export type LedgerPayer = {
  readonly askedAtomic: bigint;
  readonly lifetimeMs: number;
  readonly expectedSender: string | null;
  readonly transfers: readonly PlannedTransfer[];
};

const FIRST_PAYER = 20;
/** Intents that are not paid in time are canceled a minute after their end. */
const LATEST_MS = 75_000;

export function planPayers(dice: Dice): readonly LedgerPayer[] {
  const count = 2 + Math.floor(dice.roll() * 7);
  return Array.from({ length: count }, (_, place) => planPayer(dice, place));
}

function planPayer(dice: Dice, place: number): LedgerPayer {
  const askedAtomic = 1_000_000n + BigInt(Math.floor(dice.roll() * 9_000_000));
  const lifetimeMs = 6_000 + dice.roll() * 16_000;
  const owner = FIRST_PAYER + place;
  const subaccount = dice.roll() < 0.3 ? 3 : undefined;
  const expectedSender = dice.roll() < 0.4 ? sampleAccount(owner) : null;
  const inTime = () => dice.roll() * (lifetimeMs - 500);
  const pay = (change: Partial<PlannedTransfer> = {}): PlannedTransfer => ({
    afterMs: inTime(),
    from: sampleAccount(owner, subaccount),
    to: MERCHANT_ACCOUNT,
    amountAtomic: askedAtomic,
    memo: 'own',
    notifies: dice.roll() < 0.65,
    ...change,
  });
  const share = (percent: number) => (askedAtomic * BigInt(percent)) / 100n;
  const late = () => lifetimeMs + dice.roll() * (dice.roll() < 0.5 ? 4_000 : LATEST_MS);
  const kinds: readonly (() => readonly PlannedTransfer[])[] = [
    () => [pay()],
    () => [pay()],
    // Just before the end.
    () => [pay({ afterMs: lifetimeMs - 200 - dice.roll() * 600 })],
    () => [pay({ amountAtomic: share(40) }), pay({ amountAtomic: askedAtomic - share(40) })],
    () => [pay({ amountAtomic: share(30 + Math.floor(dice.roll() * 60)) })],
    () => [pay({ amountAtomic: share(150) })],
    () => [pay(), pay({ from: sampleAccount(owner + 60) })],
    () => [pay({ afterMs: late() })],
    () => [pay({ amountAtomic: share(50) }), pay({ afterMs: late() })],
    () => [pay({ from: sampleAccount(owner + 60) })],
    () => [pay({ to: FOREIGN_ACCOUNT }), pay()],
    () => [pay({ to: RIVAL_ACCOUNT }), pay()],
    () => [pay({ memo: 'unknown' })],
    () => [pay({ memo: 'none' }), pay({ amountAtomic: 1n })],
    () => [pay({ memo: 'other' }), pay()],
    () => [],
  ];
  return { askedAtomic, lifetimeMs, expectedSender, transfers: dice.pick(kinds)() };
}
