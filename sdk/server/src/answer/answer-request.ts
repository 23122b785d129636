// The web-standard form, which Next, Hono and other fetch servers share.
import type { Answer, AnswerDelivery } from './answer-delivery.ts';
import { readBytes } from './read-bytes.ts';

export async function answerRequest(delivery: AnswerDelivery, request: Request): Promise<Response> {
  return responseOf(await answerTo(delivery, request));
}

async function answerTo(delivery: AnswerDelivery, request: Request): Promise<Answer> {
  // Bytes that somebody has read are gone; what they were parsed into is no longer what was signed.
  if (request.bodyUsed) return delivery.answer(undefined, request.headers);
  const declared = request.headers.get('content-length');
  const body = await readBytes(request.body ?? nothing(), delivery.maxBodyBytes, declared);
  return body === 'too_large' ? delivery.refuseTooLarge() : delivery.answer(body, request.headers);
}

function responseOf({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
