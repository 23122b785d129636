import type { ErrorCode } from '@svc-pay/protocol/errors';
import { Refused } from './refuse.ts';

const FRAMEWORK_CODES: ReadonlyMap<unknown, ErrorCode> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'payload_too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
  ['FST_ERR_BAD_URL', 'route_unknown'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not_found'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
]);

/** Connection refused or lost, pool exhausted, server starting or stopping, statement or lock timeout. */
const DATABASE_AWAY = /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08\w{3}|53\w{3}|57\w{3}|55P03)$/;
/** Driver messages that come without a code. */
const CONNECTION_LOST = /^(?:timeout exceeded when trying to connect|Connection terminated)/;

/** Maps a thrown value to the error code for the client. The exception's message is not shown to the client. */
export function errorCodeOf(problem: unknown): ErrorCode {
  if (problem instanceof Refused) return problem.code;
  const { code, statusCode, message } = (problem ?? {}) as { code?: unknown; statusCode?: unknown; message?: unknown };
  const known = FRAMEWORK_CODES.get(code);
  if (known !== undefined) return known;
  const away = DATABASE_AWAY.test(String(code)) || CONNECTION_LOST.test(String(message));
  if (away) return 'service_unavailable';
  const clientFault = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return clientFault && String(code).startsWith('FST_') ? 'malformed_request' : 'internal_error';
}
