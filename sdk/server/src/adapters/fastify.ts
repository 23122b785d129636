// Fastify. A plugin in a scope of its own: there every body stays bytes, while the rest of the application parses as before.
import { createAnswerDelivery, type WebhookOptions } from '../answer/answer-delivery.ts';
import type { DeliveryHeaders } from '../receive/delivery-headers.ts';

type Request = { readonly body: unknown; readonly headers: DeliveryHeaders };
type Reply = {
  code(status: number): Reply;
  headers(headers: Record<string, string>): Reply;
  send(body: string): unknown;
};
type Scope = {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: never, body: Buffer, done: (error: Error | null, body: Buffer) => void) => void,
  ): unknown;
  post(
    path: string,
    options: { bodyLimit: number },
    handler: (request: Request, reply: Reply) => Promise<unknown>,
  ): unknown;
};

/** `app.register(webhookPlugin('/webhooks', { receiver, handle }))`. Fastify itself answers 413 to what is too large. */
export function webhookPlugin(path: string, options: WebhookOptions): (scope: Scope) => Promise<void> {
  const delivery = createAnswerDelivery(options, 'fastify');
  const bodyLimit = delivery.maxBodyBytes;
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));
    scope.post(path, { bodyLimit }, async (request, reply) => {
      // Fastify calls no parser when nothing was sent.
      const { status, headers, body } = await delivery.answer(request.body ?? new Uint8Array(), request.headers);
      return reply
        .code(status)
        .headers({ ...headers })
        .send(body);
    });
  };
}
