// Seeded random choices: the same seed gives the same choices on any machine.

export type Dice = {
  /** Returns a number in [0, 1). */
  readonly roll: () => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly shuffled: <Item>(items: readonly Item[]) => readonly Item[];
};

/** Uses mulberry32, which is random enough for tests. */
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
