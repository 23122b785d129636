// Who pays. Most have the money and time; some have money for one of two payments, so that the order of blocks decides
// which; some sign for a few seconds only.
import type { Dice } from '../../chaos/harness/dice.ts';
import type { Buyer } from './merchant.ts';

export type Plan = { readonly buyers: readonly Buyer[]; readonly balances: ReadonlyMap<string, bigint> };

const payerOf = (number: number) => `0x${number.toString(16).padStart(40, 'b')}`;

export function planBuyers(dice: Dice): Plan {
  const count = 4 + Math.floor(dice.roll() * 9);
  const balances = new Map<string, bigint>();
  const buyers = Array.from({ length: count }, (_, index): Buyer => {
    const capAtomic = 1_000_000n + BigInt(Math.floor(dice.roll() * 9_000_000));
    const settledAtomic = dice.roll() < 0.3 ? capAtomic / 3n : capAtomic;
    const confirmations = 1 + Math.floor(dice.roll() * 3);
    const chance = dice.roll();
    const usual = { capAtomic, settledAtomic, confirmations, validForSeconds: 86_400 };
    if (chance < 0.12 && index > 0) {
      const shared = payerOf(900);
      balances.set(shared, 10_000_000n);
      return { ...usual, payer: shared, isSound: false };
    }
    const payer = payerOf(index + 1);
    balances.set(payer, capAtomic);
    if (chance > 0.93) return { ...usual, payer, isSound: false, validForSeconds: 4 + Math.floor(dice.roll() * 8) };
    return { ...usual, payer, isSound: true };
  });
  return { buyers, balances };
}
