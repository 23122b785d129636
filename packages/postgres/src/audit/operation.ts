import type pg from 'pg';

/** Context of an operator's action. Each action is one transaction that includes its audit record. */
export type Operation = {
  readonly pool: pg.Pool;
  readonly nowMs: number;
  /** `operator:<name>`. */
  readonly actor: string;
};
