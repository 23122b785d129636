// Configuration of a webhook endpoint.
import * as z from 'zod/mini';
import { EVENT_TYPES } from './events.ts';

export const DEFAULT_RETRY_COUNT = 10;
/** The last step of the retry schedule is a day: this many retries end within 30 days. */
export const MAX_RETRY_COUNT = 36;
export const DEFAULT_TIMEOUT_SECONDS = 5;

export const endpointConfiguration = z.object({
  url: z.string().check(z.regex(/^.{1,2048}$/)),
  eventTypes: z.array(z.enum(EVENT_TYPES)).check(z.minLength(1)),
  retryCount: z.nullish(z.int().check(z.minimum(0), z.maximum(MAX_RETRY_COUNT))),
  timeoutSeconds: z.nullish(z.int().check(z.minimum(1), z.maximum(30))),
  headers: z.nullish(z.catchall(z.object({}), z.string())),
});
export type EndpointConfiguration = z.infer<typeof endpointConfiguration>;
