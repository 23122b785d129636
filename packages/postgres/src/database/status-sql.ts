// SQL text of statuses, made from the transition tables. Called when a module loads: the text of a statement is constant.
import { type Cause, mayFollow, type Transitions } from '@svc-pay/core';

/** `'mined'` */
export function sqlStatus(status: string): string {
  if (!/^[a-z_]+$/.test(status)) throw new Error(`not a status: ${status}`);
  return `'${status}'`;
}

/** To follow a column: `= 'mined'`, or `in ('signed', 'broadcast')`. */
export const sqlIs = (...statuses: readonly string[]): string => compared('=', 'in', statuses);

/** To follow a column: `<> 'deleted'`, or `not in ('replaced', 'dropped')`. */
export const sqlIsNot = (...statuses: readonly string[]): string => compared('<>', 'not in', statuses);

export type SqlStep = {
  /** To follow the column in a condition. */
  readonly from: string;
  /** To be assigned. */
  readonly to: string;
};

/**
 * The fence and the value of a statement that changes a status: `set status = ${to} … where status ${from}`. Throws if
 * the table has no such edge, so that a statement that makes an illegal step does not load.
 */
export function sqlStep<Status extends string>(
  table: Transitions<Status>,
  from: Status | readonly Status[],
  to: NoInfer<Status>,
  cause: Cause = 'ordinary',
): SqlStep {
  const before = typeof from === 'string' ? [from] : from;
  for (const status of before) {
    if (!mayFollow(table, status, to, cause)) throw new Error(`a statement makes ${status} ${to} (${cause})`);
  }
  return { from: sqlIs(...before), to: sqlStatus(to) };
}

function compared(one: string, several: string, statuses: readonly string[]): string {
  const [first, ...others] = statuses.map(sqlStatus);
  if (first === undefined) throw new Error('a condition names no status');
  return others.length === 0 ? `${one} ${first}` : `${several} (${[first, ...others].join(', ')})`;
}
