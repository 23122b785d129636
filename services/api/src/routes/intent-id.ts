import { type Id, isId } from '@svc-pay/protocol/ids';

/** Undefined for text that cannot be an intent id: the route answers as for an unknown intent. */
export function intentIdOf(params: Readonly<Record<string, string>>): Id<'paymentIntent'> | undefined {
  const given = params['intentId'];
  return isId('paymentIntent', given) ? given : undefined;
}
