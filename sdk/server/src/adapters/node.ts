// Node's own HTTP server, and the pages router of Next with its body parser off.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAnswerDelivery, type WebhookOptions } from '../answer/answer-delivery.ts';
import { answerMessage, readMessage } from '../answer/node-message.ts';

/** `createServer(webhookListener({ receiver, handle }))`, or call it for the one path of a larger server. */
export function webhookListener(
  options: WebhookOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const delivery = createAnswerDelivery(options, 'node');
  return (request, response) =>
    answerMessage(delivery, request, response, () => readMessage(request, delivery.maxBodyBytes));
}
