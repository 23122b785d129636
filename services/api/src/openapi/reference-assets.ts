// Files of the reference page. The renderer is vendored from its package (assets/reference/source.json) and kept packed.
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHashedFiles } from '../http/hashed-files.ts';

const read = (file: string) => readFileSync(new URL(`../../assets/reference/${file}`, import.meta.url));
const FILES = createHashedFiles({
  'scalar.js': { packed: read('scalar.js.gz') },
  'reference.js': { plain: read('reference.js') },
  'reference.css': { plain: read('reference.css') },
});

type ReferenceFileName = Parameters<typeof FILES.nameOf>[0];

/** Relative to the page, which may be served below a path. */
export const referenceFilePath = (name: ReferenceFileName): string => `reference/assets/${FILES.nameOf(name)}`;

export function serveReferenceFiles(
  app: FastifyInstance,
  notFound: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  FILES.serve(app, '/reference/assets/:file', notFound);
}
