import type { ErrorCode } from '@svc-pay/protocol/errors';
import { isKeyed, type Route } from '../routes/route.ts';

/** All codes that a route can refuse with: its own, and those of its kind. */
export function refusalsOf(route: Route): readonly ErrorCode[] {
  const paid = isKeyed(route) ? (route.whenPaid?.refusals ?? []) : [];
  const codes: ErrorCode[] = [...route.refusals, ...paid, 'internal_error'];
  if (route.access === 'client_secret')
    codes.push(
      'malformed_request',
      'address_denied',
      'rate_limited',
      'service_unavailable',
      'account_moving',
      'account_moved',
    );
  if (isKeyed(route)) {
    codes.push(
      'key_missing',
      'key_invalid',
      'account_moving',
      'account_moved',
      'key_scope_missing',
      'address_denied',
      'account_mismatch',
      'rate_limited',
      'service_unavailable',
    );
  }
  if (isKeyed(route)) codes.push(route.takesClientSecret ? 'client_secret_invalid' : 'client_secret_not_allowed');
  if (isKeyed(route) && route.accountRequired) codes.push('account_id_required');
  if (route.access === 'publishable') codes.push('origin_not_allowed');
  if (route.access === 'secret' || (route.access === 'publishable' && route.creates))
    codes.push('key_kind_not_allowed');
  if (isKeyed(route) && route.query !== undefined) codes.push('malformed_request');
  if (route.method === 'POST' || route.method === 'PATCH') {
    codes.push('malformed_request', 'invalid_json', 'payload_too_large', 'unsupported_media_type', 'request_timeout');
  }
  if (route.method === 'POST' && isKeyed(route)) {
    codes.push('idempotency_key_invalid', 'idempotency_key_reused', 'idempotency_in_progress');
  }
  return [...new Set(codes)];
}
