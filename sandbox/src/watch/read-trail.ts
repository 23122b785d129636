// Reads everything about one payment from two sources: the merchant's API and the operator's view.
import { type IntentTrail, traceIntent, type View } from '@svc-pay/postgres/view';
import type { EventDetail } from '@svc-pay/protocol/merchant';
import type { IntentSituation, SvcPay } from '@svc-pay/server';

export type TrailParts = {
  readonly situation: IntentSituation;
  readonly events: readonly EventDetail[];
  readonly seen: IntentTrail;
};

const MOST_EVENTS = 40;

/** Undefined if there is no such intent. */
export async function readTrail(
  svc: SvcPay,
  view: View,
  accountId: string,
  intentId: string,
): Promise<TrailParts | undefined> {
  const [found, listed, seen] = await Promise.all([
    svc.intents.get(intentId),
    svc.events.list({ intentId, limit: MOST_EVENTS }),
    traceIntent(view.pool, { accountId, mode: 'test', intentId }),
  ]);
  if (!found.ok || !listed.ok) return undefined;
  const details = await Promise.all(listed.data.map(({ id }) => svc.events.get(id)));
  const events = details.flatMap((detail) => (detail.ok ? [detail.event] : []));
  return { situation: found.situation, events: events.sort((a, b) => a.sequence - b.sequence), seen };
}
