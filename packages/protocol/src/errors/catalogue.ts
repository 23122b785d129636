// All error codes of the service. A test compares docs/reference/errors.md with this table. `status` 200 marks a
// business result: settle, confirm and relay answer it in their own body, not as a refusal.
import { type CatalogueEntry, entry } from './catalogue-entry.ts';
import { REFUND_ERRORS } from './refunds.ts';
import { RESULTS } from './results.ts';

export const ERRORS = {
  malformed_request: entry(
    400,
    'merchant',
    'The request has another shape than this endpoint takes; compare it with the reference.',
  ),
  invalid_json: entry(400, 'merchant', 'The body is not valid JSON; check its quotes, commas and braces.'),
  cursor_invalid: entry(
    400,
    'merchant',
    'The cursor is not of this account, mode and list with these filters; leave out the cursor to begin.',
  ),
  invalid_amount: entry(
    400,
    'merchant',
    'The amount is not a positive number in the form of this field; send one as the reference shows.',
  ),
  idempotency_key_invalid: entry(400, 'merchant', 'An Idempotency-Key is 1 to 255 visible ASCII characters.'),
  key_missing: entry(401, 'merchant', 'Send an API key as "Authorization: Bearer <key>".'),
  key_invalid: entry(401, 'merchant', 'The API key is unknown, revoked or mistyped; copy it again, or make a new one.'),
  client_secret_invalid: entry(
    401,
    'merchant',
    'The client secret is not of this intent, or is older than 30 days; use the one in the answer that created the intent.',
  ),
  client_secret_not_allowed: entry(
    403,
    'merchant',
    'A client secret reads and pays its one intent; call this endpoint from your server, with a secret key.',
  ),
  key_kind_not_allowed: entry(403, 'merchant', 'This endpoint takes a secret key (sk_…); call it from your server.'),
  origin_not_allowed: entry(403, 'merchant', 'Add this origin to the origins of your account, or use another key.'),
  key_scope_missing: entry(403, 'merchant', 'The API key lacks the scope of this endpoint; use another key.'),
  account_id_required: entry(403, 'merchant', 'Send the account id in the x-account-id header.'),
  test_mode_only: entry(403, 'merchant', 'Sample events exist in test mode only; use a test key.'),
  account_mismatch: entry(
    403,
    'merchant',
    'The x-account-id header names another account than the key; send the account of the key.',
  ),
  address_denied: entry(403, 'operator', 'This address is refused; ask the operator.'),
  not_found: entry(
    404,
    'merchant',
    'Your account has no object with this id in this mode; check the id and the mode of the key.',
  ),
  route_unknown: entry(404, 'merchant', 'This path is no route of the API; GET /reference lists every route.'),
  account_moved: entry(
    421,
    'operator',
    'The account lives in another cell of the operator; send the request to the address that the operator gave you for it.',
  ),
  method_not_allowed: entry(
    405,
    'merchant',
    'This path does not support this method; use one that the Allow header names.',
  ),
  request_timeout: entry(408, 'anyone', 'The request did not arrive in time; send it again.', true),
  idempotency_in_progress: entry(
    409,
    'anyone',
    'A request with this Idempotency-Key is still running; repeat it in a moment.',
    true,
  ),
  endpoint_disabled: entry(409, 'merchant', 'The endpoint is switched off; enable it first.'),
  endpoint_limit_reached: entry(409, 'merchant', 'At most 50 endpoints in each mode; delete one first.'),
  statement_not_ready: entry(409, 'merchant', 'A day can be read from ten minutes after its end (UTC).', true),
  recovery_in_progress: entry(409, 'merchant', 'A recovery of this endpoint is still running; wait for its end.', true),
  payment_not_mismatched: entry(409, 'merchant', 'Only a mismatched payment can be accepted; read its status.'),
  intent_paid_by_another: entry(
    409,
    'merchant',
    'Another payment completed the intent; read its status, and refund this one.',
  ),
  intent_payment_under_way: entry(
    409,
    'merchant',
    'Another payment of the intent is being settled; ask again when the intent has a result.',
    true,
  ),
  payment_being_refunded: entry(
    409,
    'merchant',
    'A refund of the payment is open; wait for its end before you accept the payment.',
    true,
  ),
  intent_not_cancelable: entry(409, 'merchant', 'The intent can no longer be canceled; read its status.'),
  upto_already_confirmed: entry(
    409,
    'merchant',
    'Another authorization is already confirmed on this intent; settle or release that one.',
  ),
  upto_already_settled: entry(
    409,
    'merchant',
    'This intent is already settled with another amount; create another intent to charge more.',
  ),
  upto_not_confirmed: entry(409, 'merchant', 'No authorization is stored on this intent; send its paymentHeader.'),
  payload_too_large: entry(413, 'merchant', 'The body is larger than this endpoint takes; send less.'),
  unsupported_media_type: entry(415, 'merchant', 'Send JSON with Content-Type: application/json.'),
  amount_missing: entry(422, 'merchant', 'Give usdAmount, amount, or both.'),
  amount_needs_token: entry(422, 'merchant', 'Name one token when the amount is in smallest units.'),
  amounts_disagree: entry(
    422,
    'merchant',
    'The two amounts differ by more than one unit at the current rate; send one of them.',
  ),
  amount_too_large: entry(422, 'merchant', 'The amount is larger than can be paid at once; split it.'),
  filters_not_combinable: entry(
    422,
    'merchant',
    'Give one of status, chain, token, payer and metadata, with any created range; payments also take all but metadata beside intentId or transactionId.',
  ),
  idempotency_key_reused: entry(
    422,
    'merchant',
    'This Idempotency-Key was used with another request; use a new key for a new request.',
  ),
  max_timeout_out_of_range: entry(
    422,
    'merchant',
    'Choose a maxTimeoutSeconds from 300 to the maximum of your account.',
  ),
  metadata_too_large: entry(422, 'merchant', 'Metadata takes at most 50 keys and 16 KiB, 2 KiB by publishable key.'),
  metadata_key_not_declared: entry(
    422,
    'merchant',
    'Payments are found by declared metadata keys alone; ask the operator to declare this key.',
  ),
  settled_amount_out_of_range: entry(422, 'merchant', 'The settled amount must be above 0 and at most the cap.'),
  settled_amount_required: entry(422, 'merchant', 'Give settledAmountUsd or settledAmount, and not both.'),
  token_not_enabled: entry(
    422,
    'merchant',
    'This token is not enabled for your account; GET /sdk/public/tokens lists those that are.',
  ),
  token_unknown: entry(
    422,
    'merchant',
    'The token shortcode is unknown; GET /sdk/public/tokens lists those of your account.',
  ),
  url_malformed: entry(422, 'merchant', 'The URL is not valid; send an absolute URL.'),
  url_too_long: entry(422, 'merchant', 'The URL is longer than 2048 characters; use a shorter one.'),
  url_scheme: entry(422, 'merchant', 'The URL must use https; test mode also allows http.'),
  url_has_credentials: entry(422, 'merchant', 'Leave credentials out of the URL; use a custom header.'),
  url_port_denied: entry(422, 'merchant', 'Endpoints must not use this port; choose another port.'),
  url_is_an_address: entry(422, 'merchant', 'A live endpoint needs a host name, no IP address.'),
  url_address_denied: entry(422, 'merchant', 'The URL names a private or reserved address; use a public address.'),
  headers_invalid: entry(
    422,
    'merchant',
    'Send at most 20 custom headers, none that controls the message or begins with our names.',
  ),
  time_range_invalid: entry(422, 'merchant', 'The range must begin before it ends.'),
  x402_upto_not_available: entry(
    422,
    'merchant',
    'Up-to payments are not available for this token and cap; choose another.',
  ),
  regular_flow_unavailable: entry(
    422,
    'merchant',
    'No token of this intent can be paid by the payer’s own transaction; choose another, or offer X402.',
  ),
  not_an_upto_intent: entry(
    422,
    'merchant',
    'The intent was not created as an up-to intent; create one with x402Upto.',
  ),
  rate_limited: entry(429, 'merchant', 'Too many requests; wait as long as Retry-After says.', true),
  export_busy: entry(429, 'merchant', 'Exports are busy; ask for one page at a time, and for this one again.', true),
  internal_error: entry(500, 'operator', 'Internal error; repeat the request with the same Idempotency-Key.', true),
  chain_unavailable: entry(503, 'operator', 'The chain cannot be reached at the moment; try again later.', true),
  price_unavailable: entry(
    503,
    'operator',
    'No fresh price for this token at the moment; try again, or choose another token.',
    true,
  ),
  endpoints_unavailable: entry(
    503,
    'operator',
    'Endpoints are not available; ask the operator to set SVC_SEAL_KEY.',
    true,
  ),
  export_unavailable: entry(
    503,
    'operator',
    'Exports wait: the database was restored, and the operator has to run `svc migrate`.',
    true,
  ),
  account_moving: entry(
    503,
    'operator',
    'The account moves to another cell of the operator and takes no requests meanwhile; repeat the request in some minutes.',
    true,
  ),
  service_unavailable: entry(
    503,
    'operator',
    'The service is starting, stopping or overloaded; try again in a moment.',
    true,
  ),

  ...REFUND_ERRORS,
  ...RESULTS,
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof ERRORS;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}
