// Who pays. Most have the money and time; some have money for one of two payments, so that the order of blocks decides
// which; some sign for a few seconds only; some let the merchant name the amount. Of some a stranger submits the
// authorization to the token.
import type { Dice } from '../../chaos/harness/dice.ts';

export type Buyer = {
  readonly payer: string;
  /** Only what a payer with the money signed in time must complete. */
  readonly isSound: boolean;
  readonly capAtomic: bigint;
  readonly settledAtomic: bigint;
  readonly validForSeconds: number;
  readonly confirmations: number;
  /** The merchant settles the up-to authorization, cancels its intent, or lets it expire. */
  readonly upto?: { readonly decision: 'settle' | 'cancel' | 'leave'; readonly afterMs: number };
  /** A stranger submits the authorization, and gives the payer what is missing. */
  readonly stranger?: { readonly afterMs: number; readonly gift: boolean };
};

export type Plan = {
  readonly buyers: readonly Buyer[];
  readonly balances: ReadonlyMap<string, bigint>;
  /** Payers whose payment makes a batch with others revert. */
  readonly spoilers: ReadonlySet<string>;
  /** Stranded transfers from long ago whose merchants do not decide. */
  readonly undecided: number;
  /** The database is set back to this moment and restored from the chain. */
  readonly backupAtMs?: number;
};

const payerOf = (number: number) => `0x${number.toString(16).padStart(40, 'b')}`;
const DAY_SECONDS = 86_400;
/** More than a page of the watcher of held payments. */
const CROWD = 101;

export function planBuyers(dice: Dice): Plan {
  const count = 4 + Math.floor(dice.roll() * 9);
  const isCrowded = dice.roll() < 0.02;
  const balances = new Map<string, bigint>();
  const buyers = Array.from({ length: count }, (_, index): Buyer => {
    const capAtomic = 1_000_000n + BigInt(Math.floor(dice.roll() * 9_000_000));
    const settledAtomic = dice.roll() < 0.3 ? capAtomic / 3n : capAtomic;
    const confirmations = 1 + Math.floor(dice.roll() * 3);
    const chance = dice.roll();
    const usual = { capAtomic, settledAtomic, confirmations, validForSeconds: DAY_SECONDS };
    const stranger = (often: number, gift: boolean) =>
      dice.roll() < often ? { stranger: { afterMs: dice.roll() * 9_000, gift } } : {};
    if (chance < 0.12 && index > 0) {
      const shared = payerOf(900);
      balances.set(shared, 10_000_000n);
      return { ...usual, payer: shared, isSound: false, ...stranger(0.3, true) };
    }
    const payer = payerOf(index + 1);
    balances.set(payer, capAtomic);
    if (chance > 0.93) {
      const validForSeconds = 4 + Math.floor(dice.roll() * 8);
      return { ...usual, payer, isSound: false, validForSeconds, ...stranger(0.4, false) };
    }
    if (chance > 0.84 || (isCrowded && index === 0)) {
      const upto = { decision: decisionOf(dice.roll()), afterMs: 500 + dice.roll() * 12_000 };
      // The watchers close an authorization that nobody settles once it is over.
      const validForSeconds = upto.decision === 'leave' ? 20 : DAY_SECONDS;
      const isSound = upto.decision === 'settle';
      const often = isCrowded ? 1 : 0.7;
      return { ...usual, payer, isSound, validForSeconds, upto, ...stranger(often, false) };
    }
    return { ...usual, payer, isSound: true, ...stranger(0.12, false) };
  });
  // A restore knows nothing of stranded money.
  if (dice.roll() < 0.05) {
    const plain = buyers.map(({ stranger: _s, upto: _u, ...buyer }) => buyer);
    return { buyers: plain, balances, spoilers: new Set(), undecided: 0, backupAtMs: 3_000 + dice.roll() * 6_000 };
  }
  const spoilers = new Set(dice.roll() < 0.1 ? [dice.pick(buyers).payer] : []);
  return { buyers, balances, spoilers, undecided: isCrowded ? CROWD : 0 };
}

function decisionOf(roll: number): 'settle' | 'cancel' | 'leave' {
  if (roll < 0.55) return 'settle';
  return roll < 0.85 ? 'cancel' : 'leave';
}
