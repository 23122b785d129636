// Replay of a range of events, as a job whose progress can be read.
import * as z from 'zod/mini';
import { EVENT_TYPES } from '../wire/events.ts';
import { isoTime, wholeNumber } from '../wire/primitives.ts';

export const recoverRequest = z.object({
  /** Start of the range, inclusive. */
  from: isoTime,
  /** End of the range, exclusive. */
  to: isoTime,
  types: z.nullish(z.array(z.enum(EVENT_TYPES)).check(z.minLength(1))),
  /** `failed`: events that the endpoint did not get since it was created. `all`: every event of the range. */
  only: z.nullish(z.enum(['failed', 'all'])),
});
export type RecoverRequest = z.infer<typeof recoverRequest>;

export const eventReplay = z.object({
  id: z.string(),
  endpointId: z.string(),
  status: z.enum(['running', 'done', 'failed']),
  /** Events to examine; null until they are counted. */
  total: z.nullable(wholeNumber),
  /** Events examined so far. */
  examined: wholeNumber,
  /** Deliveries queued so far. */
  queued: wholeNumber,
  /** Cause of a failure. */
  reason: z.nullable(z.string()),
  createdAt: isoTime,
  finishedAt: z.nullable(isoTime),
});
export type EventReplay = z.infer<typeof eventReplay>;
export const recoveryResponse = z.object({ recovery: eventReplay });
