// Cursors of lists: a position in the order of ids, with a code that binds it to the list, its filters, the account and the
// mode. A cursor that was made up, or taken from another list, is refused and never becomes part of a query.
import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '../account/authenticate.ts';
import { keyIndex } from '../account/key-index.ts';

/** The list that a cursor belongs to: its name, and its filters in a fixed order. */
export type ListedBy = {
  readonly caller: Pick<Caller, 'accountId' | 'mode'>;
  readonly list: 'payments' | 'payment_intents';
  readonly filters: Readonly<Record<string, string | number | undefined>>;
};

const CODE_BYTES = 12;
/** Positions are ids or the beginnings of ids; `~` sorts after every id that begins alike. */
const FORM = /^([a-z]{1,4}_[0-9a-z]{10,26}~?)\.([0-9A-Za-z_-]{16})$/;

export function cursorOf(pepper: Uint8Array, listed: ListedBy, position: string): string {
  return Buffer.from(`${position}.${codeOf(pepper, listed, position).toString('base64url')}`).toString('base64url');
}

/** The position; undefined for a cursor that is not of this list. */
export function readCursor(pepper: Uint8Array, listed: ListedBy, cursor: string): string | undefined {
  if (cursor.length > 100) return undefined;
  const [, position, code = ''] = FORM.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (position === undefined) return undefined;
  const given = Buffer.from(code, 'base64url');
  return timingSafeEqual(given, codeOf(pepper, listed, position)) ? position : undefined;
}

/** No API key begins with the label, so no code is the index of a key. */
function codeOf(pepper: Uint8Array, { caller, list, filters }: ListedBy, position: string): Buffer {
  const given = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify([caller.accountId, caller.mode, list, given, position]);
  return Buffer.from(keyIndex(pepper, `list_cursor\n${text}`).subarray(0, CODE_BYTES));
}

const WHOLE_ID = /_[0-9a-z]{26}$/;

/** Sorts just before the item at the position, if there is one: what is newer includes it. */
export const justBefore = (position: string): string => (WHOLE_ID.test(position) ? position.slice(0, -1) : position);

/** Sorts just after the item at the position, if there is one: what is older includes it. */
export const justAfter = (position: string): string => (WHOLE_ID.test(position) ? `${position}~` : position);
