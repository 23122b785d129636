// A fake at the boundary of the service: answers one step per request, the last one for ever, and notes what it was asked.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ErrorBody } from '@svc-pay/protocol';
import type { SvcPayOptions } from '../call/connection.ts';
import { createSvcPay } from '../client.ts';
import { serveOnLoopback } from './serve-on-loopback.ts';

export type Step = { status: number; body?: unknown; headers?: Record<string, string> } | 'hang up' | 'silence';
type Seen = { method: string; path: string; body: string; headers: IncomingMessage['headers'] };

export const refusal = (error: string, more: Partial<ErrorBody> = {}): ErrorBody => ({
  error,
  message: 'A sentence.',
  param: null,
  retryable: false,
  moneyMoved: 'no',
  requestId: 'req_7',
  docUrl: 'docs#error',
  ...more,
});

export const unavailable = { status: 503, body: refusal('service_unavailable', { retryable: true }) } satisfies Step;

export async function fakeService(...steps: Step[]) {
  const seen: Seen[] = [];
  const waits: number[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request;
    seen.push({ method, path, body: await text(request), headers });
    const step = steps[Math.min(seen.length, steps.length) - 1];
    if (step === 'hang up') response.destroy();
    if (step === 'hang up' || step === 'silence' || step === undefined) return;
    const body = typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
    response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers }).end(body);
  };
  const baseUrl = await serveOnLoopback((request, response) => void answer(request, response));
  const client = (more: Partial<SvcPayOptions> = {}) =>
    createSvcPay({
      baseUrl,
      secretKey: 'sk_test_key',
      accountId: 'acct_1',
      wait: async (ms) => void waits.push(ms),
      ...more,
    });
  return { seen, waits, client, baseUrl };
}
