import type { Dice } from './dice.ts';

/** Plans every kind equally often, in an order that the seed decides. */
export function planFaults<Kind>(kinds: readonly Kind[], count: number, dice: Dice): readonly Kind[] {
  const plan: Kind[] = [];
  while (plan.length < count) plan.push(...dice.shuffled(kinds));
  return plan.slice(0, count);
}
