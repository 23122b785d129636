// Tells merchants of canceled and expired intents: `payment_intent.canceled`, for endpoints that name it. Intents of accounts
// without such an endpoint get no event.
import { CANCELED_EVENT, canceledEvents, ENDPOINT_STATUS, type Origin } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { writeEvents } from '../event/write-events.ts';
import { loadIntentsToChange } from './load-intent.ts';

/** SQL for whether an endpoint of the owner of the row `alias` asks for the event. */
export const asksForCanceled = (alias: string): string => `exists (
        select from svc.endpoints endpoint
        where endpoint.account_id = ${alias}.account_id and endpoint.mode = ${alias}.mode
          and endpoint.status ${sqlIs(ENDPOINT_STATUS.enabled)} and '${CANCELED_EVENT}' = any (endpoint.event_types)
      )`;

export type CanceledIntentKey = { readonly accountId: string; readonly mode: string; readonly intentId: string };

/** Runs in the transaction that canceled the intents, after it counted the event of each. */
export async function tellCanceled(
  client: pg.ClientBase,
  canceled: readonly CanceledIntentKey[],
  origin: Origin,
  nowMs: number,
): Promise<void> {
  if (canceled.length === 0) return;
  const read = await loadIntentsToChange(client, canceled);
  await writeEvents(
    client,
    [...read.values()].flatMap(({ intent, eventSequence }) =>
      canceledEvents(intent, eventSequence, origin, nowMs).map((event) => ({ event, owner: intent })),
    ),
  );
}
