// A request that can be sent again, and the key under which its payment is remembered.
import { AgentPayError } from './agent-error.ts';
import { requestKey } from './request-key.node.ts';

export type AgentRequest = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly signal: AbortSignal;
  /** The purchase, hashed: origin and `Idempotency-Key`, or without such a key method, address and body. */
  readonly key: string;
  /** Method, address and body, hashed. */
  readonly requestHash: string;
  /** True when the caller gave an `Idempotency-Key`: the request is paid once for good. */
  readonly isKeyed: boolean;
  /** False for a form, which gets a new boundary, and so other bytes, whenever it is made: no later call is the same. */
  readonly isRepeatable: boolean;
  readonly redirect: Request['redirect'];
};

const PAYMENT_HEADERS = ['payment-signature', 'x-payment'];
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
  allowHttp: boolean,
): Promise<AgentRequest> {
  const request = new Request(input, init);
  const url = new URL(request.url);
  url.hash = '';
  // One host has one limit, however its name is written.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (url.protocol !== 'https:' && !allowHttp && !LOOPBACK.test(url.hostname))
    throw new AgentPayError('insecure_url', { reason: url.origin });
  const own = PAYMENT_HEADERS.find((name) => request.headers.has(name));
  if (own !== undefined) throw new AgentPayError('invalid_request', { reason: `the header ${own} is the agent’s own` });
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  const { method, headers, signal, redirect } = request;
  const idempotencyKey = headers.get('idempotency-key');
  const isKeyed = idempotencyKey !== null;
  const requestHash = requestKey([method, url.href], body);
  const key = isKeyed ? requestKey([url.origin, idempotencyKey], undefined) : requestHash;
  const isRepeatable = !isForm(headers) || isBytes(init?.body);
  return { method, url, headers, body, signal, key, requestHash, isKeyed, isRepeatable, redirect };
}

const isForm = (headers: Headers) => /^multipart\/form-data\b/i.test(headers.get('content-type') ?? '');

const isBytes = (body: unknown) => typeof body === 'string' || body instanceof ArrayBuffer || ArrayBuffer.isView(body);

/** The address for people and logs: the secret of a payable address lets whoever reads it see the outcome. */
export function shownAddress(url: URL): string {
  const shown = new URL(url);
  if (shown.searchParams.has('client_secret')) shown.searchParams.set('client_secret', 'redacted');
  return shown.href;
}
