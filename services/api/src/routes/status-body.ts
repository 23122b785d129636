// The JSON of an intent's status, shared by GET, the stream and cancel.
import { intentView, type KeyKind, paymentView } from '@svc-pay/core';
import type { IntentStatusResponse } from '@svc-pay/protocol';
import type { IntentSituation } from '../ports.ts';

/** `viewer` is the kind of key that is answered. */
export function statusBody({ intent, payment }: IntentSituation, viewer: KeyKind): string {
  const body: IntentStatusResponse = { paymentIntentId: intent.id, ...statusViews({ intent, payment }, viewer) };
  return JSON.stringify(body);
}

export function statusViews(
  { intent, payment }: IntentSituation,
  viewer: KeyKind,
): Pick<IntentStatusResponse, 'paymentIntent' | 'payment'> {
  return {
    paymentIntent: intentView(intent, viewer),
    payment: payment === null ? null : paymentView(payment, intent, viewer),
  };
}
