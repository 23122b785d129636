// Small web server on loopback, shared by all pages of the sandbox.
import fastify, { type FastifyInstance } from 'fastify';
import type { PageFiles } from './bundle-pages.ts';

export type PageServer = { readonly url: string; readonly stop: () => Promise<void> };

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Guards against DNS rebinding: a page of another site cannot read by pointing its own name to this address. */
const isThisMachine = (host: string | undefined): boolean => /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host ?? '');

export async function servePages(
  port: number,
  files: PageFiles,
  addRoutes: (app: FastifyInstance) => Promise<void>,
): Promise<PageServer> {
  const app = fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (request, reply) => {
    if (!isThisMachine(request.headers.host)) await reply.code(403).send({ error: 'this is for this machine only' });
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 10_000 },
    async (_request: unknown, body: string | Buffer) => Object.fromEntries(new URLSearchParams(String(body))),
  );
  app.get<{ Params: { name: string } }>('/assets/:name', async ({ params: { name } }, reply) => {
    const text = files.get(name);
    const type = TYPES[name.split('.').at(-1) ?? ''];
    if (text === undefined || type === undefined) return reply.code(404).send({ error: 'no such file' });
    return reply.header('content-type', type).header('cache-control', 'no-cache').send(text);
  });
  await addRoutes(app);
  await app.listen({ port, host: '127.0.0.1' });
  return { url: `http://127.0.0.1:${port}`, stop: () => app.close() };
}
