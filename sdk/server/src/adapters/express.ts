// Express 4 and 5. Takes the bytes of `express.raw()` or of a `rawBody` that the platform kept; otherwise reads the request
// itself, which works wherever no parser ran before.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAnswerDelivery, type WebhookOptions } from '../answer/answer-delivery.ts';
import { answerMessage, readMessage } from '../answer/node-message.ts';

type ExpressRequest = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/** `app.post('/webhooks', webhookHandler({ receiver, handle }))`, before `app.use(express.json())`. */
export function webhookHandler(
  options: WebhookOptions,
): (request: ExpressRequest, response: ServerResponse) => Promise<void> {
  const delivery = createAnswerDelivery(options, 'express');
  return (request, response) =>
    answerMessage(delivery, request, response, async () => {
      const kept = [request.rawBody, request.body].find((body) => body instanceof Uint8Array);
      return kept ?? readMessage(request, delivery.maxBodyBytes);
    });
}
