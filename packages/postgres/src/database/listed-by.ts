// Conditions by which a list reads the index of its filter, which is by a hash of account, mode and value.
import { withoutIndex } from './planner.ts';

const hashOf = (account: string, mode: string, of: string) =>
  `hashtextextended(${account} || ' ' || ${mode} || ' ' || ${of}, 0)`;

/** Conditions of a page, and the order of the index that it reads. */
export type ListedRows = { readonly where: string; readonly order: readonly string[] };

/**
 * Rows by the index of `column`; `value` is the filter's placeholder. The order names the hash too: where a table has row
 * security the planner does not conclude from the condition that it is one and the same, and would sort.
 */
export function listedBy(
  at: { readonly account_id: string; readonly mode: string },
  column: string,
  value: string,
): ListedRows {
  const hash = hashOf('account_id', 'mode', column);
  const where = `${hash} = ${hashOf(at.account_id, at.mode, value)} and ${column} is not null
      and ${withoutIndex('account_id')} = ${at.account_id} and ${withoutIndex('mode')} = ${at.mode}
      and ${withoutIndex(column)} = ${value}`;
  return { where, order: [hash, 'id'] };
}
