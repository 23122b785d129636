// Stands in for `next start`, so that the handlers run here without installing Next: the same files, found by the same
// names, called with the same arguments. In a Next project leave this file out.
import { globSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const { PORT = '3000' } = process.env;
const routes = await Promise.all(
  globSync('app/**/route.js', { cwd: import.meta.dirname }).map(async (file) => ({
    pattern: new URLPattern({
      pathname: file
        .replace(/^app/, '')
        .replace(/\/route\.js$/, '')
        .replaceAll(/\[(\w+)\]/g, ':$1'),
    }),
    handlers: await import(`./${file}`),
  })),
);

async function answer(request, url) {
  for (const { pattern, handlers } of routes) {
    const found = pattern.exec(url);
    const handler = found && handlers[request.method];
    if (handler) return handler(request, { params: Promise.resolve(found.pathname.groups) });
  }
  return new Response(null, { status: 404 });
}

async function respond(incoming, outgoing) {
  const { method, headers } = incoming;
  const url = `http://127.0.0.1:${PORT}${incoming.url}`;
  try {
    const body = method === 'GET' ? undefined : await buffer(incoming);
    const response = await answer(new Request(url, { method, headers, body }), url);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  } catch (error) {
    console.error(error);
    outgoing.writeHead(500).end();
  }
}

const server = createServer((incoming, outgoing) => void respond(incoming, outgoing));
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${PORT}`));
