// Folds the books into the figures of accounts. Both calls are one transaction: buckets and cursor move together, so a process
// that dies in the middle has folded nothing.
import type pg from 'pg';

export type FoldedStep = {
  /** Another process folds now. */
  readonly busy: boolean;
  /** Bookings and changes of payments. */
  readonly folded: number;
  /** Nothing that could be folded is left. */
  readonly drained: boolean;
  readonly asOfMs: number | null;
};

type StepRow = {
  readonly busy: boolean;
  readonly folded: number;
  readonly drained: boolean;
  readonly as_of: Date | null;
};

/** The next rows of the generation that is shown. */
export async function foldOverview(pool: pg.Pool): Promise<FoldedStep> {
  const { rows } = await pool.query<StepRow>({ name: 'fold-overview', text: 'select * from svc.fold_overview()' });
  return stepOf(rows);
}

export async function foldGeneration(
  client: pg.Pool | pg.ClientBase,
  generation: number,
  most: number,
): Promise<FoldedStep> {
  const { rows } = await client.query<StepRow>('select * from svc.fold_generation($1, $2)', [generation, most]);
  return stepOf(rows);
}

function stepOf([row]: readonly StepRow[]): FoldedStep {
  if (row === undefined) throw new Error('svc.overview_cursors shows no generation');
  const { busy, folded, drained, as_of } = row;
  return { busy, folded, drained, asOfMs: as_of?.getTime() ?? null };
}
