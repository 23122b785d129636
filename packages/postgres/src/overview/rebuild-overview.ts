// Builds the figures anew, from the first booking on, in a generation of their own. The former one is shown and folded until
// the new one has everything; then the new one is shown in its place, in one commit.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { foldGeneration } from './fold-overview.ts';

const FOLD_ROWS = 5_000;
const REMOVED_ROWS = 5_000;
/** An open transaction that writes can keep the new generation from being complete for as long as it lasts. */
const LOOK_AGAIN_MS = 250;
const TABLES = ['overview_buckets', 'overview_failures', 'overview_times'] as const;

type Rebuilt = { readonly generation: number; readonly folded: number; readonly asOfMs: number };

/** `tell` is called after each step. Another rebuild that begins meanwhile ends this one with an error. */
export async function rebuildOverview(pool: pg.Pool, tell: (folded: number) => void = () => {}): Promise<Rebuilt> {
  const generation = await begin(pool);
  await removeOthers(pool, generation);
  let folded = 0;
  for (;;) {
    const step = await foldGeneration(pool, generation, FOLD_ROWS);
    if (step.busy) throw new Error(`generation ${generation} of the overview is gone: another rebuild began`);
    folded += step.folded;
    if (step.folded > 0) tell(folded);
    if (!step.drained) continue;
    const shown = await show(pool, generation);
    if (shown === undefined) {
      await sleep(LOOK_AGAIN_MS);
      continue;
    }
    await removeOthers(pool, generation);
    return { generation, folded: folded + shown.folded, asOfMs: shown.asOfMs };
  }
}

/** Gives up a rebuild that did not end. */
async function begin(pool: pg.Pool): Promise<number> {
  return inTransaction(pool, async (client) => {
    await client.query('lock table svc.overview_cursors in share row exclusive mode');
    // Before the former one is deleted: its number is not given again, because rows of it are still there.
    const { rows } = await client.query<{ generation: number }>(
      `insert into svc.overview_cursors (generation, shown)
       select coalesce(max(generation), 0) + 1, false from svc.overview_cursors returning generation`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('no generation was begun');
    await client.query('delete from svc.overview_cursors where not shown and generation < $1', [row.generation]);
    return row.generation;
  });
}

/** Undefined while the generation lacks something that the shown one may have. */
async function show(
  pool: pg.Pool,
  generation: number,
): Promise<{ readonly folded: number; readonly asOfMs: number } | undefined> {
  return inTransaction(pool, async (client) => {
    // Nobody folds meanwhile: both cursors stay where they are.
    await client.query('lock table svc.overview_cursors in share row exclusive mode');
    const { folded, drained, asOfMs } = await foldGeneration(client, generation, FOLD_ROWS);
    if (!drained || asOfMs === null) return undefined;
    await client.query('update svc.overview_cursors set shown = false where shown');
    await client.query('update svc.overview_cursors set shown = true where generation = $1', [generation]);
    return { folded, asOfMs };
  });
}

/**
 * Removes rows of generations that are neither shown nor being built, and cursors before the given one. A later one is of a
 * rebuild that began since.
 */
async function removeOthers(pool: pg.Pool, generation: number): Promise<void> {
  await pool.query('delete from svc.overview_cursors where not shown and generation < $1', [generation]);
  for (const table of TABLES) {
    for (;;) {
      const { rowCount } = await pool.query(
        `delete from svc.${table} where ctid = any (array(
           select ctid from svc.${table} where generation not in (select generation from svc.overview_cursors) limit ${REMOVED_ROWS}
         ))`,
      );
      if ((rowCount ?? 0) < REMOVED_ROWS) break;
    }
  }
}
