import type pg from 'pg';

/** One deed of an operator: each use case here is one transaction, with the record of who did it inside. */
export type Operation = {
  readonly pool: pg.Pool;
  readonly nowMs: number;
  /** `operator:<name>`. */
  readonly actor: string;
};
