// Cursors of lists: a position in the order of ids, bound to the list, its filters, the account and the mode.
import type { Caller } from '../account/authenticate.ts';
import type { Peppers } from '../account/peppers.ts';
import { openCursor, signCursor } from '../account/signed-cursor.ts';

/** The list that a cursor belongs to: its name, and its filters in a fixed order. */
export type ListedBy = {
  readonly caller: Pick<Caller, 'accountId' | 'mode'>;
  readonly list: 'payments' | 'payment_intents' | 'attempts';
  readonly filters: Readonly<Record<string, string | number | undefined>>;
};

/** Positions are ids or the beginnings of ids; `~` sorts after every id that begins alike. */
const FORM = /^[a-z]{1,4}_[0-9a-z]{10,26}~?$/;

export function cursorOf(pepper: Uint8Array, listed: ListedBy, position: string): string {
  return signCursor(pepper, listed.caller, nameOf(listed), position);
}

/** The position; undefined for a cursor that is not of this list. */
export function readCursor(peppers: Peppers, listed: ListedBy, cursor: string): string | undefined {
  const position = openCursor(peppers, listed.caller, nameOf(listed), cursor);
  return position !== undefined && FORM.test(position) ? position : undefined;
}

/** JSON keeps a value from passing for another filter. */
function nameOf({ list, filters }: ListedBy): string {
  const given = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `list ${JSON.stringify([list, given])}`;
}

const WHOLE_ID = /_[0-9a-z]{26}$/;

/** Sorts just before the item at the position, if there is one: what is newer includes it. */
export const justBefore = (position: string): string => (WHOLE_ID.test(position) ? position.slice(0, -1) : position);

/** Sorts just after the item at the position, if there is one: what is older includes it. */
export const justAfter = (position: string): string => (WHOLE_ID.test(position) ? `${position}~` : position);
