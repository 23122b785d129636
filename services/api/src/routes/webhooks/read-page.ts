import { type Id, type IdKind, isId } from '@svc-pay/protocol/ids';
import { DEFAULT_PAGE } from '@svc-pay/protocol/merchant';
import type { Outcome } from '../outcome.ts';

export type AskedPage<Kind extends IdKind> = { readonly limit: number; readonly before: Id<Kind> | undefined };

/** The cursor is a place in the order and need not be anything of the caller's; it has to be an id. */
export function readPage<Kind extends IdKind>(
  kind: Kind,
  { limit, startingAfter }: Readonly<Record<string, string | undefined>>,
): { readonly ok: true; readonly page: AskedPage<Kind> } | Extract<Outcome, { ok: false }> {
  if (startingAfter !== undefined && !isId(kind, startingAfter)) {
    return { ok: false, code: 'malformed_request', param: 'startingAfter' };
  }
  const size = limit === undefined ? DEFAULT_PAGE : Number.parseInt(limit, 10);
  return { ok: true, page: { limit: size, before: startingAfter } };
}
