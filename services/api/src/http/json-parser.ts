import type { FastifyInstance } from 'fastify';
import { readJson } from '../body/read-json.ts';
import { Refused } from './refuse.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined when there was no body. */
    rawBody: Uint8Array | undefined;
  }
}

/** Accepts only JSON. Keeps the raw bytes as well, because an idempotency key is bound to them. */
export function readBodiesAsJson(app: FastifyInstance): void {
  app.decorateRequest('rawBody');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    request.rawBody = bytes;
    const read = readJson(bytes);
    if (read.ok) done(null, read.value);
    else done(new Refused(read.code));
  });
}
