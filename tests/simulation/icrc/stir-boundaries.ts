// What goes wrong at the boundaries of a token ledger, and what they make up.
import { memoOfIntent, type TokenTransfer } from '@svc-pay/core';
import { sampleAccount } from '@svc-pay/core/testing';
import type { FaultKind, Simulation } from '../world/simulation.ts';
import { MERCHANT_ACCOUNT } from './plan-payers.ts';
import type { Boundary, BoundaryMood } from './simulated-token-ledger.ts';

const EVERY_MS = 900;
const FAULTS: readonly (readonly [FaultKind, BoundaryMood])[] = [
  ['boundary silent', 'silent'],
  ['boundary unreachable', 'unreachable'],
  ['boundary slow', 'slow'],
  ['boundary forges', 'forges'],
  ['boundary replays', 'replays'],
];

/** All of them may be in trouble at once. */
export function stirBoundaries(
  { timeline, dice, strikes, note, isStorm }: Simulation,
  boundaries: readonly Boundary[],
): void {
  const stir = () => {
    if (!isStorm()) return;
    for (const [kind, mood] of FAULTS) {
      if (!strikes(kind, 0.06)) continue;
      const boundary = dice.pick(boundaries);
      if (boundary.mood() !== 'well') continue;
      note(boundary.name, kind);
      boundary.setMood(mood);
      timeline.after(1_000 + dice.roll() * 5_000, () => boundary.setMood('well'));
    }
    timeline.after(EVERY_MS, stir);
  };
  timeline.after(EVERY_MS, stir);
}

const FORGED_AT_ONCE = 3;

/** Transfers that nobody made: each would pay an open intent. */
export function forgedFor(
  { tables }: Simulation,
  atMs: number,
): readonly { readonly transfer: TokenTransfer; readonly atMs: number }[] {
  return [...tables.intents.values()]
    .filter(({ intent }) => intent.status === 'requires_payment')
    .slice(0, FORGED_AT_ONCE)
    .map(({ intent }) => ({
      transfer: {
        from: intent.expectedSender ?? sampleAccount(99),
        to: MERCHANT_ACCOUNT,
        amountAtomic: intent.amount,
        memo: memoOfIntent(BigInt(intent.intentCode)),
      },
      atMs,
    }));
}
