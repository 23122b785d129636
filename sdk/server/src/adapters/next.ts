// Next route handlers, and any other server of web-standard requests: Remix, SvelteKit, Bun, Deno.
import { createAnswerDelivery, type WebhookOptions } from '../answer/answer-delivery.ts';
import { answerRequest } from '../answer/answer-request.ts';

/** `export const POST = webhookRoute({ receiver, handle })` */
export function webhookRoute(options: WebhookOptions): (request: Request) => Promise<Response> {
  const delivery = createAnswerDelivery(options, 'next');
  return (request) => answerRequest(delivery, request);
}
