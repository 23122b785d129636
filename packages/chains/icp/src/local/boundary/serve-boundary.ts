// The HTTP side of the local Internet Computer: addresses, sizes, and what a browser wants to be told.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Principal } from '@icp-sdk/core/principal';
import type { Boundary, BoundaryAnswer } from './boundary.ts';
import type { BoundaryFaults } from './faults.ts';
import { malformed, RefusedRequest } from './refused-request.ts';

export type ServedBoundary = { readonly url: string; readonly stop: () => Promise<void> };

/** An argument is at most 2 MiB; the envelope around it needs little. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
const ROUTE = /^\/api\/v([234])\/(canister|subnet)\/([a-z0-9-]{1,70})\/(call|query|read_state)$/;
/** Wallets in a browser call too. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };

export async function serveBoundary(boundary: Boundary, faults: BoundaryFaults, port: number): Promise<ServedBoundary> {
  const server = createServer((request, response) => {
    answer(boundary, faults, request, response).catch((error: unknown) => {
      if (error instanceof RefusedRequest) send(response, error.status, Buffer.from(error.message), 'text/plain');
      else send(response, 500, Buffer.from('internal error'), 'text/plain');
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  boundary: Boundary,
  faults: BoundaryFaults,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (faults.delayMs > 0) await sleep(faults.delayMs);
  if (faults.down) {
    request.socket.destroy();
    return;
  }
  if (faults.expiredCalls) refuseAsExpired(request.url);
  const told = await route(boundary, request);
  if (told === 'lost' || faults.down) request.socket.destroy();
  else send(response, told.status, told.body, 'application/cbor');
}

function refuseAsExpired(url = ''): void {
  if (url.endsWith('/call')) throw malformed('Invalid request expiry: 0 is not between 1 and 2');
  if (url.endsWith('/read_state')) throw new RefusedRequest(500, 'the state is not there');
}

async function route(boundary: Boundary, request: IncomingMessage): Promise<BoundaryAnswer> {
  if (request.method === 'OPTIONS') return { status: 204, body: new Uint8Array() };
  if (request.url === '/api/v2/status' && request.method === 'GET') return boundary.status();
  const [, version = '', scope, text = '', action] = ROUTE.exec(request.url ?? '') ?? [];
  if (action === undefined || request.method !== 'POST') throw new RefusedRequest(404, 'there is nothing here');
  const id = principalOf(text);
  const body = await bodyOf(request);
  if (action === 'read_state') return boundary.readState(scope === 'subnet' ? 'subnet' : 'canister', id, body);
  if (scope === 'subnet') throw new RefusedRequest(404, 'there is nothing here');
  return action === 'call' ? boundary.call(id, Number(version), body) : boundary.query(id, body);
}

function principalOf(text: string): Uint8Array {
  try {
    return Principal.fromText(text).toUint8Array();
  } catch {
    throw malformed('the address has no principal');
  }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  // Read to its end and forgotten: a client that still sends would not see an answer.
  if (bytes > MAX_BODY_BYTES) throw new RefusedRequest(413, 'the body is too large');
  return Uint8Array.from(Buffer.concat(chunks));
}

function send(response: ServerResponse, status: number, body: Uint8Array, type: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...CORS, 'content-type': type, 'content-length': body.length }).end(body);
}
