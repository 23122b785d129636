import { isDatabaseAway } from '@svc-pay/postgres';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { Refused } from './refuse.ts';

const FRAMEWORK_CODES: ReadonlyMap<unknown, ErrorCode> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'payload_too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
  ['FST_ERR_BAD_URL', 'route_unknown'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not_found'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
]);

/** Maps a thrown value to the error code for the client. The exception's message is not shown to the client. */
export function errorCodeOf(problem: unknown): ErrorCode {
  if (problem instanceof Refused) return problem.code;
  const { code, statusCode } = (problem ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = FRAMEWORK_CODES.get(code);
  if (known !== undefined) return known;
  if (isDatabaseAway(problem)) return 'service_unavailable';
  const clientFault = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return clientFault && String(code).startsWith('FST_') ? 'malformed_request' : 'internal_error';
}
