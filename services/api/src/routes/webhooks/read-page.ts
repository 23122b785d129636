import { type Id, type IdKind, isId } from '@svc-pay/protocol/ids';
import { DEFAULT_PAGE } from '@svc-pay/protocol/merchant';
import type { RouteOutcome } from '../outcome.ts';

export type AskedPage<Kind extends IdKind> = { readonly limit: number; readonly before: Id<Kind> | undefined };

/** The cursor must be an id, but it is only a position in the order and need not belong to the caller. */
export function readPage<Kind extends IdKind>(
  kind: Kind,
  { limit, startingAfter }: Readonly<Record<string, string | undefined>>,
): { readonly ok: true; readonly page: AskedPage<Kind> } | Extract<RouteOutcome, { ok: false }> {
  if (startingAfter !== undefined && !isId(kind, startingAfter)) {
    return { ok: false, code: 'malformed_request', param: 'startingAfter' };
  }
  const size = limit === undefined ? DEFAULT_PAGE : Number.parseInt(limit, 10);
  return { ok: true, page: { limit: size, before: startingAfter } };
}
