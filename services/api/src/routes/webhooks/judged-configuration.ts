// Validates and seals the endpoint configuration that a merchant submits. The result holds no secret in plain text.
import { type Caller, endpointContext, judgeNewHeaders, judgeNewUrl, type Sealer } from '@svc-pay/core';
import type { EndpointFields } from '@svc-pay/postgres/merchant-api';
import { DEFAULT_RETRY_COUNT, DEFAULT_TIMEOUT_SECONDS } from '@svc-pay/protocol';
import type { EndpointUpdate } from '@svc-pay/protocol/merchant';
import type { EndpointPorts } from '../../ports.ts';
import type { RouteOutcome } from '../outcome.ts';

type Refusal = Extract<RouteOutcome, { ok: false }>;

export const NO_SEALER: Refusal = { ok: false, code: 'endpoints_unavailable', param: null };

/** Undefined if the whole configuration may be saved. */
export function judgeConfiguration(
  { endpointUrls }: EndpointPorts,
  { mode }: Caller,
  { url, headers }: EndpointUpdate,
): Refusal | undefined {
  const problem = url === undefined ? undefined : judgeNewUrl(url, { ...endpointUrls, mode });
  if (problem !== undefined) return { ok: false, code: problem, param: 'url' };
  const header = judgeNewHeaders(headers ?? {});
  return header === null ? undefined : { ok: false, code: 'headers_invalid', param: 'headers' };
}

/** Null in the update resets a field to its default. */
export function fieldsOf(
  sealer: Sealer,
  { accountId }: Caller,
  endpointId: string,
  sent: EndpointUpdate,
): EndpointFields {
  const { url, eventTypes, retryCount, timeoutSeconds, headers } = sent;
  return {
    ...(url !== undefined && { url }),
    ...(eventTypes !== undefined && { eventTypes: [...new Set(eventTypes)] }),
    ...(retryCount !== undefined && { retryCount: retryCount ?? DEFAULT_RETRY_COUNT }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds: timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS }),
    ...(headers !== undefined && { headers: sealedHeaders(sealer, accountId, endpointId, headers ?? {}) }),
  };
}

function sealedHeaders(
  sealer: Sealer,
  accountId: string,
  endpointId: string,
  headers: Readonly<Record<string, string>>,
) {
  const names = Object.keys(headers);
  const context = endpointContext(accountId, endpointId, 'endpoint-headers');
  return { names, ciphertext: names.length === 0 ? null : sealer.seal(JSON.stringify(headers), context) };
}
