// Hono. The request is read as it came: what `c.req` has cached as parsed JSON would be written anew, and no longer match.
import { createAnswerDelivery, type WebhookOptions } from '../answer/answer-delivery.ts';
import { answerRequest } from '../answer/answer-request.ts';

type HonoContext = { readonly req: { readonly raw: Request } };

/** `app.post('/webhooks', webhookHandler({ receiver, handle }))` */
export function webhookHandler(options: WebhookOptions): (context: HonoContext) => Promise<Response> {
  const delivery = createAnswerDelivery(options, 'hono');
  return ({ req }) => answerRequest(delivery, req.raw);
}
