// Chance that a seed decides: the same choices for the same seed, on any machine.

export type Dice = {
  /** A number of [0, 1). */
  readonly roll: () => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly shuffled: <Item>(items: readonly Item[]) => readonly Item[];
};

/** By mulberry32, which is as good as chance has to be here. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(roll() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  const shuffled = <Item>(items: readonly Item[]): readonly Item[] => {
    const left = [...items];
    const order: Item[] = [];
    while (left.length > 0) order.push(...left.splice(Math.floor(roll() * left.length), 1));
    return order;
  };
  return { roll, pick, shuffled };
}
