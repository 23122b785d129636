// Cursors that the service gives out carry a code under the pepper: a cursor opens only for the account, the mode and the
// list or export that it was given for, so text that a caller made up never becomes part of a query.
import { timingSafeEqual } from 'node:crypto';
import { keyIndex } from './key-index.ts';
import type { Mode } from './mode.ts';
import type { Peppers } from './peppers.ts';

export type CursorOwner = { readonly accountId: string; readonly mode: Mode };

const CODE_BYTES = 16;
const MAX_LENGTH = 512;

/** `of` names what the cursor belongs to: `export payments`, `statement 2026-11-16`. */
export function signCursor(pepper: Uint8Array, owner: CursorOwner, of: string, text: string): string {
  return `${Buffer.from(text).toString('base64url')}.${codeOf(pepper, owner, of, text).toString('base64url')}`;
}

/** Undefined for a cursor that was not given for this. */
export function openCursor(peppers: Peppers, owner: CursorOwner, of: string, cursor: string): string | undefined {
  if (cursor.length > MAX_LENGTH) return undefined;
  const [body = '', code = '', ...rest] = cursor.split('.');
  if (rest.length > 0) return undefined;
  const text = Buffer.from(body, 'base64url').toString();
  const given = Buffer.from(code, 'base64url');
  const isOurs =
    given.length === CODE_BYTES && peppers.some((pepper) => timingSafeEqual(given, codeOf(pepper, owner, of, text)));
  return isOurs ? text : undefined;
}

/** No API key begins with the label, so no code is the index of a key. */
function codeOf(pepper: Uint8Array, { accountId, mode }: CursorOwner, of: string, text: string): Buffer {
  const code = keyIndex(pepper, `cursor\n${mode}\n${accountId}\n${of}\n${text}`);
  return Buffer.from(code.subarray(0, CODE_BYTES));
}
