// A JSON-RPC server over HTTP, on the recorder's and the replayer's side.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordedAnswer, RecordedCall } from './recording.ts';

export type AskedCall = RecordedCall & { readonly id: unknown };
export type Asked = { readonly calls: readonly AskedCall[]; readonly batch: boolean; readonly text: string };
export type RpcHttpAnswer = {
  readonly status: number;
  readonly retryAfter?: string | undefined;
  readonly text: string;
};
/** `hang up`: the connection is closed without an answer. */
export type RpcReply = RpcHttpAnswer | 'hang up';

export type RpcServer = { readonly url: string; readonly close: () => Promise<void> };

export type ListenAddress = { readonly host: string; readonly port: number };
const ANY_LOOPBACK_PORT: ListenAddress = { host: '127.0.0.1', port: 0 };

const MAX_REQUEST_BYTES = 1_048_576;

export async function serveRpc(
  serve: (asked: Asked) => Promise<RpcReply>,
  { host, port }: ListenAddress = ANY_LOOPBACK_PORT,
): Promise<RpcServer> {
  const answer = async (request: IncomingMessage): Promise<RpcReply> => {
    // A page in a browser can't send this type without asking first, which is not answered: pages use no node through here.
    if (request.headers['content-type']?.startsWith('application/json') !== true) return refused(415, 'send JSON');
    const text = await bodyOf(request);
    if (text === undefined) return refused(413, 'too large');
    const asked = readAsked(text);
    return asked === undefined ? refused(400, 'no calls of JSON-RPC') : serve(asked);
  };
  const server = createServer((request, response) => {
    void answer(request)
      .catch((): RpcReply => 'hang up')
      .then((served) => {
        if (served === 'hang up') return request.socket.destroy();
        const { status, retryAfter, text } = served;
        const headers = { 'content-type': 'application/json', ...(retryAfter && { 'retry-after': retryAfter }) };
        return response.writeHead(status, headers).end(text);
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`, close: () => closed(server) };
}

/** The body of an answer: a list where a list was asked. */
export const bodyOfAnswers = (
  batch: boolean,
  answers: readonly ({ readonly id: unknown } & RecordedAnswer)[],
): string => {
  const entries = answers.map((answer) => ({ jsonrpc: '2.0', ...answer }));
  return JSON.stringify(batch ? entries : entries[0]);
};

const refused = (status: number, message: string): RpcReply => ({
  status,
  text: bodyOfAnswers(false, [{ id: null, error: { code: -32_600, message } }]),
});

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readAsked(text: string): Asked | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const batch = Array.isArray(body);
  const given = (batch ? body : [body]) as readonly unknown[];
  const calls = given.flatMap((value): AskedCall[] => {
    const { id = null, method, params = [] } = (value ?? {}) as Partial<AskedCall>;
    return typeof method === 'string' ? [{ id, method, params }] : [];
  });
  return calls.length === given.length && calls.length > 0 ? { calls, batch, text } : undefined;
}
