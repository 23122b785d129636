import { ChainUnavailable } from '../lane/lane-chain.ts';
import { mapConcurrent } from '../lane/map-concurrent.ts';

/** After more failures than this without one answer, the chain may be silent. */
const MAX_FAILURES = 10;
/** Number of items, spread over all, that are read to tell a silent chain from unreadable items. */
const PROBES = 10;
/** Number of items that `readOrEach` reads at the same time, each alone. */
const EACH_AT_ONCE = 8;

type ReadMany<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

/**
 * Reads many items in one request. A failed read is split into halves, down to the single item that can't be read: that
 * item is reported to `onFailure` and left out, so that it does not hold up the others. Only a silent chain aborts,
 * with `ChainUnavailable`, because every request would wait for its timeout. `read` answers in item order and must be
 * safe to repeat, because items may be read again.
 */
export async function readIsolated<Item, Result>(
  items: readonly Item[],
  read: ReadMany<Item, Result>,
  onFailure: (item: Item, problem: unknown) => void,
): Promise<ReadonlyMap<Item, Result>> {
  const found = new Map<Item, Result>();
  let unavailable = 0;
  const take = (some: readonly Item[]) => readInto(found, some, read);
  const isSilent = async (): Promise<boolean> => {
    const step = Math.ceil(items.length / PROBES);
    for (let last = items.length; last > 0 && found.size === 0; last -= step) {
      await take(items.slice(last - 1, last)).catch(() => {});
    }
    return found.size === 0;
  };
  const visit = async (some: readonly Item[]): Promise<void> => {
    const [first] = some;
    if (first === undefined) return;
    try {
      await take(some);
    } catch (problem) {
      if (some.length > 1) {
        const middle = Math.ceil(some.length / 2);
        await visit(some.slice(0, middle));
        await visit(some.slice(middle));
        return;
      }
      onFailure(first, problem);
      if (!(problem instanceof ChainUnavailable)) return;
      unavailable += 1;
      if (found.size === 0 && unavailable > MAX_FAILURES && (await isSilent())) throw problem;
    }
  };
  await visit(items);
  return found;
}

/**
 * Reads many items in one request, and each alone if that fails. No number of failures aborts it: it is for a chain that
 * has just answered another question, and so is not silent.
 */
export async function readOrEach<Item, Result>(
  items: readonly Item[],
  read: ReadMany<Item, Result>,
  onFailure: (item: Item, problem: unknown) => void,
): Promise<ReadonlyMap<Item, Result>> {
  const found = new Map<Item, Result>();
  if (items.length === 0) return found;
  try {
    await readInto(found, items, read);
  } catch {
    await mapConcurrent(EACH_AT_ONCE, items, (item) =>
      readInto(found, [item], read).catch((problem: unknown) => onFailure(item, problem)),
    );
  }
  return found;
}

async function readInto<Item, Result>(
  found: Map<Item, Result>,
  items: readonly Item[],
  read: ReadMany<Item, Result>,
): Promise<void> {
  for (const [index, result] of (await read(items)).entries()) {
    const item = items[index];
    if (item !== undefined) found.set(item, result);
  }
}
