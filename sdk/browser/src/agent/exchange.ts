// One request to a seller, with or without a payment: an answer in time, or none.
import { childOf, untilAborted } from '../http/race.ts';
import type { Ports } from '../ports.ts';
import type { AgentRequest } from './request.ts';

/** A payment in a header, or undefined for the first request. */
export type SentHeader = { readonly name: string; readonly value: string };

export type Exchanged =
  | { readonly kind: 'answer'; readonly response: Response }
  /** The request may have arrived. */
  | { readonly kind: 'lost'; readonly cause: unknown }
  | { readonly kind: 'redirected'; readonly to: string };

export type ExchangeOptions = { readonly ports: Ports; readonly timeoutMs: number };

const MAX_REDIRECTS = 5;

/** What the caller says to the seller alone. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

/**
 * Without a payment redirects are followed as the caller asked. A payment stays within the origin of the request: another
 * one, where the seller may keep what was bought, is asked without it.
 */
export async function exchange(
  request: AgentRequest,
  header: SentHeader | undefined,
  options: ExchangeOptions,
): Promise<Exchanged> {
  let { url, method, body } = request;
  for (let redirects = 0; ; redirects += 1) {
    const exchanged = await sendOnce({ ...request, url, method, body }, header, options);
    if (exchanged.kind !== 'answer' || header === undefined) return exchanged;
    const { status, headers } = exchanged.response;
    const location = headers.get('location');
    if (![301, 302, 303, 307, 308].includes(status) || location === null || request.redirect !== 'follow')
      return exchanged;
    await exchanged.response.body?.cancel();
    const target = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
    const isSafe = target?.protocol === 'https:' || target?.protocol === url.protocol;
    if (target === undefined || !isSafe || redirects >= MAX_REDIRECTS)
      return { kind: 'redirected', to: target?.origin ?? 'an address that can’t be read' };
    if (status === 303 || (status < 303 && method === 'POST')) [method, body] = ['GET', undefined];
    if (target.origin !== request.url.origin) {
      const headers = new Headers(request.headers);
      for (const name of PRIVATE_HEADERS) headers.delete(name);
      return sendOnce({ ...request, url: target, method, body, headers }, undefined, options);
    }
    url = target;
  }
}

async function sendOnce(
  { url, method, body, headers: given, redirect, signal }: AgentRequest,
  header: SentHeader | undefined,
  { ports, timeoutMs }: ExchangeOptions,
): Promise<Exchanged> {
  const { controller, release } = childOf(signal);
  const headers = new Headers(given);
  if (header !== undefined) headers.set(header.name, header.value);
  const answered = new AbortController();
  // The time limit ends with the head of the answer: its body may be a stream of any length.
  void ports.sleep(timeoutMs, answered.signal).then(() => answered.signal.aborted || controller.abort());
  try {
    const sent = ports.fetch(url.href, {
      method,
      headers,
      ...(body !== undefined && { body }),
      redirect: header === undefined ? redirect : 'manual',
      cache: 'no-store',
      signal: controller.signal,
    });
    const response = await untilAborted(sent, controller.signal);
    if (response === undefined) {
      // A fetch that does not stop with its signal may still answer; nobody reads it.
      sent.then((late) => late.body?.cancel()).catch(() => undefined);
      release();
      return { kind: 'lost', cause: controller.signal.reason };
    }
    return { kind: 'answer', response };
  } catch (cause) {
    release();
    return { kind: 'lost', cause };
  } finally {
    answered.abort();
  }
}
