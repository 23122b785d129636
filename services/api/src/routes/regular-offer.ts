import { type Caller, intentView, regularOptions } from '@svc-pay/core';
import type { RegularOffer } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import { requestUrlOf } from '../buyer/request-url.ts';
import type { ApiPorts } from '../ports.ts';

/** How the caller's intent can be paid by the payer's own transactions; undefined when there is no such intent. */
export async function loadRegularOffer(
  ports: ApiPorts,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  baseUrl: string,
): Promise<RegularOffer | undefined> {
  // The status is read last: nothing is shown for an intent that was taken meanwhile.
  const payable = await ports.loadPayable(caller, intentId);
  const situation = await ports.loadStatus(caller, intentId);
  if (situation === undefined) return undefined;
  const { intent } = situation;
  const regular = await regularOptions(ports, caller, intent, payable, requestUrlOf(ports, caller, intentId, baseUrl));
  return { paymentIntentId: intent.id, paymentIntent: intentView(intent, caller.kind), regular: [...regular] };
}
