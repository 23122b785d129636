import type { LightMyRequestResponse } from 'fastify';
import type { RunningApi } from '../start.ts';

export type CallOptions = {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON, text unchanged. */
  readonly body?: object | string;
};

export const CREATE = '/sdk/public/payments/intents/x402';
export const SETTLE = '/sdk/public/payments/x402/settle';
export const UPTO_CONFIRM = '/sdk/public/payments/intents/x402/upto/confirm';
export const UPTO_SETTLE = '/sdk/payments/x402/upto/settle';
export const ENDPOINTS = '/sdk/webhooks/endpoints';
export const EVENTS = '/sdk/events';
export const NOTIFY = '/sdk/public/payments/notify';
export const intentPath = (id: string) => `/sdk/public/payments/intents/${id}`;
export const cancelPath = (id: string) => `/sdk/payments/intents/${id}/cancel`;

export async function call(
  { app }: Pick<RunningApi, 'app'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS' | 'HEAD',
  url: string,
  { key, headers, body }: CallOptions = {},
): Promise<LightMyRequestResponse> {
  return app.inject({
    method,
    url,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}
