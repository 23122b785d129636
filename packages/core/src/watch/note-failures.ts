// A row that a watcher fails on is logged with its ids and counted; the watcher continues with the next row.
import { ChainUnavailable } from '../lane/lane-chain.ts';
import type { WatchBase } from './watch-log.ts';

export type NoteFailure = (details: object, problem: unknown) => void;

/** Network label of a watcher that covers all networks. */
export const ALL_NETWORKS = 'all';

export function noteFailures(
  network: string,
  watcher: string,
  { log, countFailure }: Pick<WatchBase, 'log' | 'countFailure'>,
): NoteFailure {
  return (details, problem) => {
    countFailure?.(network, watcher);
    const event = problem instanceof ChainUnavailable ? 'row_skipped_chain_unreachable' : 'row_skipped';
    log(event, { network, watcher, ...details, err: problem });
  };
}

/** Runs the work for each item; a failing item is reported and does not stop the others. */
export async function forEachIsolated<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  onFailure: (item: Item, problem: unknown) => void,
): Promise<void> {
  for (const item of items) {
    try {
      await work(item);
    } catch (problem) {
      onFailure(item, problem);
    }
  }
}
