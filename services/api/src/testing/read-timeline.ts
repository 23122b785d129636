import {
  type PaymentTimeline,
  paymentTimeline,
  type TimelineEntry,
  type TimelineKind,
} from '@svc-pay/protocol/merchant';
import { call } from './call.ts';
import type { TestApi } from './start-test-api.ts';

/** With the secret test key of the account. */
export async function readTimeline(api: TestApi, intentId: string): Promise<PaymentTimeline> {
  const path = `/sdk/payment-intents/${intentId}/timeline`;
  const answer = await call(api, 'GET', path, { key: api.account.keys.test.secret });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return paymentTimeline.parse(answer.json());
}

export const ofKind = <Kind extends TimelineKind>({ entries }: PaymentTimeline, kind: Kind) =>
  entries.filter((entry): entry is Extract<TimelineEntry, { kind: Kind }> => entry.kind === kind);
