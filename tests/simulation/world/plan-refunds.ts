// What merchants give back: at which moments, for how long their wallets sign, and what lies in the wallets beside what was
// paid to them.
import type { Dice } from '../../chaos/harness/dice.ts';

export type RefundPlan = {
  readonly atMs: readonly number[];
  readonly validForSeconds: number;
  /** Share of refunds that are signed for a few seconds only. */
  readonly shortShare: number;
  /** In each wallet from the beginning. */
  readonly floatAtomic: bigint;
};

const HOUR_SECONDS = 3_600;
/** Payments are final from then on. */
const FIRST_MS = 8_500;
const WITHIN_MS = 12_500;
const FLOAT_ATOMIC = 1_000_000_000n;
const POOR_SECONDS = 20;

export function planRefunds(dice: Dice): RefundPlan | undefined {
  if (dice.roll() < 0.65) return undefined;
  const atMs = Array.from({ length: 3 + Math.floor(dice.roll() * 6) }, () => FIRST_MS + dice.roll() * WITHIN_MS);
  // A wallet without money: nothing that it signs may stay open for long.
  const isPoor = dice.roll() < 0.15;
  return {
    atMs,
    validForSeconds: isPoor ? POOR_SECONDS : HOUR_SECONDS,
    shortShare: isPoor ? 1 : 0.12,
    floatAtomic: isPoor ? 0n : FLOAT_ATOMIC,
  };
}
