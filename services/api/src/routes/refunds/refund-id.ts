import { type Id, isId } from '@svc-pay/protocol/ids';

/** Undefined for text that cannot be the id of a refund: the route answers as for an unknown refund. */
export function refundIdOf(params: Readonly<Record<string, string>>): Id<'refund'> | undefined {
  const given = params['refundId'];
  return isId('refund', given) ? given : undefined;
}
