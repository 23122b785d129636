// A double of the console's server: the built page under the policy that the real one has, and answers by the route table of
// the merchant API, made up in memory. For what the page does by itself: lists of ten thousand rows, looks, keyboard.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buildConsole } from '@svc-pay/console/build';
import { securityHeaders } from '@svc-pay/console/security-headers';
import { answers, type DoubleAnswer } from './console-answers.ts';
import { ACCOUNT } from './console-records.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export type ConsoleDouble = {
  readonly origin: string;
  readonly accountId: string;
  /** Paths with queries that were asked for, in order. */
  readonly asked: string[];
  /** Bodies that were sent, by path. */
  readonly sent: { readonly path: string; readonly body: unknown; readonly headers: IncomingMessage['headers'] }[];
  /** Answers that take the place of the usual ones, by path without its query; a function gives its answer when it is asked. */
  readonly instead: Map<string, DoubleAnswer | (() => DoubleAnswer)>;
  readonly stop: () => void;
};

export async function startConsoleDouble(): Promise<ConsoleDouble> {
  const { folder } = await buildConsole();
  const asked: string[] = [];
  const sent: ConsoleDouble['sent'] = [];
  const instead: ConsoleDouble['instead'] = new Map();
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    apiPath: string,
    query: URLSearchParams,
  ) => {
    const method = request.method ?? 'GET';
    const body = await bodyOf(request);
    if (method !== 'GET') sent.push({ path: apiPath, body, headers: request.headers });
    const replaced = instead.get(apiPath) ?? answers(method, apiPath, query);
    const { status, body: told, headers = {} } = typeof replaced === 'function' ? replaced() : replaced;
    const isText = typeof told === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/csv' : 'application/json', ...headers });
    response.end(isText ? told : JSON.stringify(told));
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://double');
    response.setHeaders(new Headers(securityHeaders('page', { secure: false })));
    if (!url.pathname.startsWith('/console/api/')) return serveFile(folder, url.pathname, response);
    const apiPath = url.pathname.slice('/console/api'.length);
    asked.push(`${request.method} ${apiPath}${url.search}`);
    void answer(request, response, apiPath, url.searchParams);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accountId: ACCOUNT,
    asked,
    sent,
    instead,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Every path that is no file is the page. */
function serveFile(folder: string, pathname: string, response: ServerResponse): void {
  const name = /^\/(?:assets\/[\w.-]+|\w+\.svg)$/.test(pathname) ? pathname : '/index.html';
  response.setHeader('content-type', TYPES[path.extname(name)] ?? 'application/octet-stream');
  response.end(readFileSync(path.join(folder, name)));
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? undefined : JSON.parse(text);
}
