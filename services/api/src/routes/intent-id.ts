import { type Id, isId } from '@svc-pay/protocol/ids';

/** Undefined for what can't be an id of ours: it is answered like one that is not there. */
export function intentIdOf(params: Readonly<Record<string, string>>): Id<'paymentIntent'> | undefined {
  const given = params['intentId'];
  return isId('paymentIntent', given) ? given : undefined;
}
