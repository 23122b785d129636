// Requests and answers of Node's own HTTP server, which Express hands on.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, AnswerDelivery } from './answer-delivery.ts';
import { readBytes } from './read-bytes.ts';

/** Undefined when the bytes went to somebody else before. A request that breaks off is thrown. */
export async function readMessage(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | 'too_large' | undefined> {
  if (request.readableDidRead) return undefined;
  // Leaving the loop early must not destroy the socket: the answer has yet to be sent on it.
  const chunks = request.iterator({ destroyOnReturn: false });
  return readBytes(chunks, maxBytes, request.headers['content-length']);
}

export async function answerMessage(
  delivery: AnswerDelivery,
  request: IncomingMessage,
  response: ServerResponse,
  readBody: () => Promise<Uint8Array | 'too_large' | undefined>,
): Promise<void> {
  let body: Uint8Array | 'too_large' | undefined;
  try {
    body = await readBody();
  } catch {
    // The sender is gone: nobody is left to answer.
    response.destroy();
    return;
  }
  if (body === 'too_large') send(response, delivery.refuseTooLarge(), { connection: 'close' });
  else send(response, await delivery.answer(body, request.headers), {});
}

function send(response: ServerResponse, { status, headers, body }: Answer, more: Record<string, string>): void {
  // Somebody else has answered meanwhile, such as a timeout of the application.
  if (response.headersSent) return;
  response.writeHead(status, { ...headers, ...more, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
