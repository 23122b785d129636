// The JSON of an intent's status, shared by GET, the stream and cancel.
import { intentView, paymentView } from '@svc-pay/core';
import type { IntentStatusResponse } from '@svc-pay/protocol';
import type { IntentSituation } from '../ports.ts';

export function statusBody({ intent, payment }: IntentSituation): string {
  const body: IntentStatusResponse = {
    paymentIntentId: intent.id,
    paymentIntent: intentView(intent),
    payment: payment === null ? null : paymentView(payment, intent),
  };
  return JSON.stringify(body);
}
