import type pg from 'pg';
import type { Standing } from './standing.ts';

/** Context of an action of an operator or a person. Each action is one transaction that includes its audit record. */
export type Operation = {
  readonly pool: pg.Pool;
  readonly nowMs: number;
  /** `operator:<name>` or `person:<id>`. */
  readonly actor: string;
  /** Of a person, judged again in the transaction. An operator has none. */
  readonly standing?: Standing | undefined;
};
