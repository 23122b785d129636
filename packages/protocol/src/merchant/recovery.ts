// Sending a range of events again, as a job whose progress can be read.
import * as z from 'zod/mini';
import { EVENT_TYPES } from '../wire/events.ts';
import { isoTime, wholeNumber } from '../wire/primitives.ts';

export const recoverRequest = z.object({
  /** Events from here on. */
  from: isoTime,
  /** And before here. */
  to: isoTime,
  types: z.nullish(z.array(z.enum(EVENT_TYPES)).check(z.minLength(1))),
  /** `failed`: what the endpoint did not get since it exists. `all`: everything of the range. */
  only: z.nullish(z.enum(['failed', 'all'])),
});
export type RecoverRequest = z.infer<typeof recoverRequest>;

export const recovery = z.object({
  id: z.string(),
  endpointId: z.string(),
  status: z.enum(['running', 'done', 'failed']),
  /** Events it will look at; null until they are counted. */
  total: z.nullable(wholeNumber),
  /** Events it has looked at. */
  examined: wholeNumber,
  /** Deliveries it has put into the queue. */
  queued: wholeNumber,
  /** Why it failed. */
  reason: z.nullable(z.string()),
  createdAt: isoTime,
  finishedAt: z.nullable(isoTime),
});
export type Recovery = z.infer<typeof recovery>;
export const recoveryResponse = z.object({ recovery });
