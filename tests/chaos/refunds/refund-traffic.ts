// Merchants that give a share of their payments back while everything breaks.
import { nowMs } from '../harness/clock.ts';
import { createDice } from '../harness/dice.ts';
import { giveBack } from './give-back.ts';
import type { PaidPayment, RefundDesk } from './refund-calls.ts';
import type { RefundWallets } from './refund-once.ts';

export type RefundTraffic = {
  /** Gives some of them back. */
  readonly onPaid: (paid: PaidPayment) => void;
  /** Gives so many of the next payments back, besides its share. */
  readonly giveBackNext: (payments: number) => void;
  /** Gives this one back. */
  readonly refund: (paid: PaidPayment) => Promise<void>;
  /** Merchants who do not know the end yet. */
  readonly open: () => number;
};

/** A lane that could not ask a node about a refund tries it again after minutes. */
const PATIENCE_MS = 600_000;
const PRIME = 104_729;

/** `share` of payments is given back. */
export function openRefundTraffic(desk: RefundDesk & RefundWallets, seed: number, share: number): RefundTraffic {
  let open = 0;
  let next = 0;
  const latest = new Map<string, PaidPayment>();
  const refund = async (paid: PaidPayment): Promise<void> => {
    const dice = createDice(seed * PRIME + paid.journey);
    const relation = `${paid.secretKey} ${paid.payer}`;
    const cousin = latest.get(relation);
    latest.set(relation, paid);
    open += 1;
    try {
      await giveBack({ ...desk, dice, endMs: nowMs() + PATIENCE_MS, paid }, cousin);
    } finally {
      open -= 1;
    }
  };
  return {
    refund,
    open: () => open,
    giveBackNext: (payments) => {
      next += payments;
    },
    onPaid: (paid) => {
      const drawn = createDice(seed * PRIME - paid.journey).roll() < share;
      if (!drawn && next === 0) return;
      if (!drawn) next -= 1;
      void refund(paid);
    },
  };
}
