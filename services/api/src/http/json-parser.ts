import type { FastifyInstance } from 'fastify';
import { readJson } from '../body/read-json.ts';
import { Refused } from './refuse.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined when there was no body. */
    rawBody: Uint8Array | undefined;
  }
}

/** JSON and nothing else. The bytes are kept beside it: an idempotency key stands for them. */
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
