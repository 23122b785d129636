// Fields of the event log that these commands read; other fields are ignored.
import * as z from 'zod/mini';

const eventSummary = z.object({
  id: z.string(),
  type: z.string(),
  paymentIntentId: z.string(),
  sequence: z.number(),
  createdAt: z.string(),
  pendingWebhooks: z.number(),
  deliveries: z.object({ pending: z.number(), succeeded: z.number(), failed: z.number() }),
  event: z.looseObject({}),
});
export type ListedEvent = z.infer<typeof eventSummary>;
export const eventPage = z.object({ data: z.array(eventSummary), hasMore: z.boolean() });
