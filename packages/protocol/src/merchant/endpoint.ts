// Webhook endpoints as their merchant reads and changes them. A secret is shown when it is made and never again.
import * as z from 'zod/mini';
import { endpointConfiguration } from '../wire/endpoint.ts';
import { EVENT_TYPES } from '../wire/events.ts';
import { isoTime, wholeNumber } from '../wire/primitives.ts';

export const DEFAULT_OVERLAP_SECONDS = 86_400;
export const MAX_OVERLAP_SECONDS = 604_800;
/** Replaces a header's value wherever the header is shown. */
export const HEADER_MASK = '***';

export const endpoint = z.object({
  id: z.string(),
  url: z.string(),
  eventTypes: z.array(z.enum(EVENT_TYPES)),
  retryCount: wholeNumber,
  timeoutSeconds: wholeNumber,
  /** Header names, each with a mask for its value. */
  headers: z.catchall(z.object({}), z.string()),
  status: z.enum(['enabled', 'disabled']),
  /** `gone`, `failing` or `merchant`. */
  disabledReason: z.nullable(z.string()),
  /** Time since which no delivery has succeeded. */
  failingSince: z.nullable(isoTime),
  /** Time at which the endpoint is switched off unless a delivery succeeds before. */
  disablesAt: z.nullable(isoTime),
  /** Until then deliveries are also signed with the previous secret. */
  previousSecretExpiresAt: z.nullable(isoTime),
  createdAt: isoTime,
  updatedAt: isoTime,
  apiVersion: z.string(),
  mode: z.enum(['test', 'live']),
});
export type Endpoint = z.infer<typeof endpoint>;

/** A field that is left out stays unchanged; `headers` replaces all headers, and null removes them. */
export const endpointUpdate = z.partial(endpointConfiguration);
export type EndpointUpdate = z.infer<typeof endpointUpdate>;

export const endpointResponse = z.object({ endpoint });
export const endpointList = z.object({ data: z.array(endpoint), hasMore: z.boolean() });
export const createdEndpoint = z.object({
  endpoint,
  /** Null in a replayed answer: the secret was shown with the first one. */
  secret: z.nullable(z.string()),
});
export const deletedEndpoint = z.object({ id: z.string(), deleted: z.literal(true) });
export const enabledEndpoint = z.object({ endpoint, replayed: wholeNumber });

export const rotateSecretRequest = z.object({
  /** Time for which the old secret also signs. */
  overlapSeconds: z.nullish(z.int().check(z.minimum(0), z.maximum(MAX_OVERLAP_SECONDS))),
});
export const rotatedSecret = z.object({
  endpoint,
  secret: z.nullable(z.string()),
  previousSecretExpiresAt: z.nullable(isoTime),
});

export const sampleRequest = z.object({ type: z.enum(EVENT_TYPES) });
export const sentSample = z.object({ eventId: z.string() });
export const triggeredSample = z.object({ eventId: z.string(), deliveries: wholeNumber });
