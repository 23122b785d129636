// Who pays a merchant's wallet directly. Of many a stranger submits the authorization too, before our claim or after it;
// some have no money, or little time, and pay their intent with a second authorization when the first has failed.
import type { WalletUse } from '@svc-pay/core';
import type { Dice } from '../../chaos/harness/dice.ts';
import type { Buyer } from './plan-buyers.ts';

export type DirectBuyer = Pick<Buyer, 'payer' | 'isSound' | 'capAtomic' | 'validForSeconds' | 'confirmations'> & {
  readonly use: WalletUse;
  readonly bound: boolean;
  /** From the signature to our claim. */
  readonly claimAfterMs: number;
  /** From the signature to the stranger's submission. */
  readonly stranger?: { readonly afterMs: number; readonly gift: boolean };
  /** A payer with the money who signs for the same intent when this payment has failed. */
  readonly second?: string;
};

export type DirectPlan = {
  readonly buyers: readonly DirectBuyer[];
  readonly balances: ReadonlyMap<string, bigint>;
};

export const NO_DIRECT: DirectPlan = { buyers: [], balances: new Map() };

const payerOf = (number: number) => `0x${number.toString(16).padStart(40, 'd')}`;
/** Long enough for every refusal to be tried again. */
const LONG_SECONDS = 150;

export function planDirect(dice: Dice): DirectPlan {
  const balances = new Map<string, bigint>();
  if (dice.roll() < 0.4) return NO_DIRECT;
  const count = 1 + Math.floor(dice.roll() * 5);
  const buyers = Array.from({ length: count }, (_, index): DirectBuyer => {
    const capAtomic = 1_000_000n + BigInt(Math.floor(dice.roll() * 9_000_000));
    const use: WalletUse = dice.roll() < 0.65 ? 'exclusive' : 'shared';
    const usual = { capAtomic, use, bound: dice.roll() < 0.5, confirmations: 1 + Math.floor(dice.roll() * 3) };
    const chance = dice.roll();
    const isEarly = dice.roll() < 0.35;
    // The reader passes a block when it is final: by then the claim is there.
    const claimAfterMs = isEarly ? 300 + dice.roll() * 1_500 : 0;
    const strangerMs = isEarly ? dice.roll() * 400 : dice.roll() * 9_000;
    const stranger = (often: number, gift: boolean) =>
      dice.roll() < often ? { stranger: { afterMs: strangerMs, gift } } : {};
    const second = dice.roll() < 0.6 ? { second: payerOf(500 + index) } : {};
    if (second.second !== undefined) balances.set(second.second, capAtomic);
    if (chance < 0.3) {
      const shared = payerOf(900);
      balances.set(shared, 7_000_000n);
      const validForSeconds = 8 + Math.floor(dice.roll() * 16);
      return {
        ...usual,
        payer: shared,
        isSound: false,
        claimAfterMs,
        validForSeconds,
        ...second,
        ...stranger(0.6, true),
      };
    }
    const payer = payerOf(index + 1);
    balances.set(payer, capAtomic);
    if (chance < 0.5) {
      const validForSeconds = 4 + Math.floor(dice.roll() * 8);
      return { ...usual, payer, isSound: false, claimAfterMs, validForSeconds, ...second, ...stranger(0.5, false) };
    }
    return { ...usual, payer, isSound: true, claimAfterMs, validForSeconds: LONG_SECONDS, ...stranger(0.5, false) };
  });
  return { buyers, balances };
}
