// All error codes of the service. A test compares docs/reference/errors.md with this table. `status` 200 marks a
// business result: settle, confirm and relay answer it in their own body, not as a refusal.

/** Party that can resolve the error. */
type Actor = 'payer' | 'merchant' | 'operator' | 'anyone';

export type CatalogueEntry = {
  readonly status: number;
  /** A sentence for people; says what to do where something can be done. */
  readonly message: string;
  /** True when the same request may succeed later unchanged. */
  readonly retryable: boolean;
  readonly actor: Actor;
};

const entry = (status: number, actor: Actor, message: string, retryable = false): CatalogueEntry => ({
  status,
  message,
  retryable,
  actor,
});

export const ERRORS = {
  malformed_request: entry(400, 'merchant', 'The request is not shaped as this endpoint expects.'),
  invalid_json: entry(400, 'merchant', 'The body is not valid JSON.'),
  invalid_amount: entry(400, 'merchant', 'The amount is not a positive number in the form of this field.'),
  idempotency_key_invalid: entry(400, 'merchant', 'An Idempotency-Key is 1 to 255 visible ASCII characters.'),
  key_missing: entry(401, 'merchant', 'Send an API key as "Authorization: Bearer <key>".'),
  key_invalid: entry(401, 'merchant', 'The API key is unknown, revoked or mistyped.'),
  key_kind_not_allowed: entry(403, 'merchant', 'This endpoint takes a secret key.'),
  origin_not_allowed: entry(403, 'merchant', 'Add this origin to the origins of your account, or use another key.'),
  key_scope_missing: entry(403, 'merchant', 'The API key lacks the scope of this endpoint; use another key.'),
  account_id_required: entry(403, 'merchant', 'Send the account id in the x-account-id header.'),
  test_mode_only: entry(403, 'merchant', 'Sample events exist in test mode only; use a test key.'),
  account_mismatch: entry(403, 'merchant', 'The x-account-id header names another account than the key.'),
  address_denied: entry(403, 'operator', 'This address is refused; ask the operator.'),
  not_found: entry(404, 'merchant', 'Your account has no object with this id in this mode.'),
  method_not_allowed: entry(405, 'merchant', 'This path does not support this method.'),
  request_timeout: entry(408, 'anyone', 'The request did not arrive in time.', true),
  idempotency_in_progress: entry(409, 'anyone', 'A request with this Idempotency-Key is still running.', true),
  endpoint_disabled: entry(409, 'merchant', 'The endpoint is switched off; enable it first.'),
  endpoint_limit_reached: entry(409, 'merchant', 'At most 50 endpoints in each mode; delete one first.'),
  recovery_in_progress: entry(409, 'merchant', 'A recovery of this endpoint is still running.', true),
  intent_not_cancelable: entry(409, 'merchant', 'The intent can no longer be canceled.'),
  upto_already_confirmed: entry(409, 'merchant', 'Another authorization is already confirmed on this intent.'),
  upto_already_settled: entry(409, 'merchant', 'This intent is already settled with another amount.'),
  upto_not_confirmed: entry(409, 'merchant', 'No authorization is stored on this intent; send its paymentHeader.'),
  payload_too_large: entry(413, 'merchant', 'The body is larger than this endpoint takes.'),
  unsupported_media_type: entry(415, 'merchant', 'Send JSON with Content-Type: application/json.'),
  amount_missing: entry(422, 'merchant', 'Give usdAmount, amount, or both.'),
  amount_needs_token: entry(422, 'merchant', 'Name one token when the amount is in smallest units.'),
  amounts_disagree: entry(422, 'merchant', 'The two amounts differ by more than one unit at the current rate.'),
  amount_too_large: entry(422, 'merchant', 'The amount is larger than can be paid at once; split it.'),
  idempotency_key_reused: entry(422, 'merchant', 'This Idempotency-Key was used with another request.'),
  max_timeout_out_of_range: entry(422, 'merchant', 'The maxTimeoutSeconds is outside the limits of your account.'),
  metadata_too_large: entry(422, 'merchant', 'Metadata takes at most 50 keys and 16 KiB, 2 KiB by publishable key.'),
  settled_amount_out_of_range: entry(422, 'merchant', 'The settled amount must be above 0 and at most the cap.'),
  settled_amount_required: entry(422, 'merchant', 'Give settledAmountUsd or settledAmount, and not both.'),
  token_not_enabled: entry(422, 'merchant', 'This token is not enabled for your account.'),
  token_unknown: entry(422, 'merchant', 'The token shortcode is unknown; see the list of token shortcodes.'),
  url_malformed: entry(422, 'merchant', 'The URL is not valid; send an absolute URL.'),
  url_too_long: entry(422, 'merchant', 'The URL is longer than 2048 characters.'),
  url_scheme: entry(422, 'merchant', 'The URL must use https; test mode also allows http.'),
  url_has_credentials: entry(422, 'merchant', 'Leave credentials out of the URL; use a custom header.'),
  url_port_denied: entry(422, 'merchant', 'Endpoints must not use this port; choose another port.'),
  url_is_an_address: entry(422, 'merchant', 'A live endpoint needs a host name, no IP address.'),
  url_address_denied: entry(422, 'merchant', 'The URL names a private or reserved address; use a public address.'),
  headers_invalid: entry(
    422,
    'merchant',
    'At most 20 custom headers, none that controls the message or begins with our names.',
  ),
  time_range_invalid: entry(422, 'merchant', 'The range must begin before it ends.'),
  x402_upto_not_available: entry(
    422,
    'merchant',
    'Up-to payments are not available for this token and cap; choose another.',
  ),
  not_an_upto_intent: entry(422, 'merchant', 'The intent was not created as an up-to intent.'),
  rate_limited: entry(429, 'merchant', 'Too many requests; wait as long as Retry-After says.', true),
  internal_error: entry(500, 'operator', 'Internal error; repeat the request with the same Idempotency-Key.', true),
  chain_unavailable: entry(503, 'operator', 'The chain cannot be reached at the moment.', true),
  price_unavailable: entry(503, 'operator', 'No fresh price for this token at the moment.', true),
  endpoints_unavailable: entry(
    503,
    'operator',
    'Endpoints are not available: the operator has not set SVC_SEAL_KEY.',
    true,
  ),
  service_unavailable: entry(503, 'operator', 'The service is starting, stopping or overloaded.', true),

  x402_not_available_for_token: entry(200, 'payer', 'This token cannot be paid by signature; choose another.'),
  x402_minimum_amount_not_met: entry(
    200,
    'payer',
    'The amount is below the minimum of the network; pay more, or choose another network.',
  ),
  x402_temporarily_unavailable: entry(
    200,
    'payer',
    'Paying by signature is paused, or the amount is above the limit; pay less, or later.',
    true,
  ),
  x402_upto_settlement_requires_secret_key: entry(200, 'merchant', 'An up-to intent is settled by the merchant.'),

  invalid_payment_header: entry(200, 'merchant', 'The payment header cannot be read.'),
  invalid_signature: entry(200, 'payer', 'The signature is not the payer’s for these terms; sign again.'),
  wallet_not_deployed: entry(
    200,
    'payer',
    'The wallet has no code on this chain yet (ERC-6492), so the token cannot check it; deploy it, then sign again.',
  ),
  authorization_not_yet_valid: entry(200, 'payer', 'The authorization is not valid yet; check the clock.', true),
  authorization_expired: entry(200, 'payer', 'The authorization has expired; sign again.'),
  authorization_window_too_long: entry(
    200,
    'payer',
    'The authorization is valid for longer than was asked; sign again.',
  ),
  authorization_already_used: entry(200, 'payer', 'This authorization was already used or canceled.'),
  authorization_bound_elsewhere: entry(200, 'payer', 'This authorization belongs to another intent; sign again.'),
  recipient_mismatch: entry(200, 'merchant', 'The authorization pays another address than the acceptance.'),
  asset_mismatch: entry(200, 'merchant', 'The token is not the one of the acceptance.'),
  amount_mismatch: entry(200, 'merchant', 'The signed amount is not the one of the acceptance.'),
  network_mismatch: entry(200, 'merchant', 'The network is not the one of the acceptance.'),
  scheme_mismatch: entry(200, 'merchant', 'The scheme is not the one of the intent.'),
  acceptance_mismatch: entry(200, 'merchant', 'The payment requirements differ from what the intent offered.'),
  sender_mismatch: entry(200, 'payer', 'The intent expects another payer.'),
  payer_denied: entry(200, 'payer', 'This wallet is refused; pay with another wallet.'),
  permit_nonce_mismatch: entry(200, 'payer', 'The token expects another nonce; sign again.'),
  insufficient_funds: entry(200, 'payer', 'The wallet does not hold enough of this token.', true),
  transaction_altered: entry(200, 'payer', 'The signed transaction is not the prepared one; prepare it again.'),
  approval_missing: entry(200, 'payer', 'The wallet has not approved enough; send the setup transaction.', true),
  not_available: entry(200, 'merchant', 'Signed messages are not supported here; sign the prepared transaction.'),
  token_refused: entry(200, 'payer', 'The token refused the transfer; ask its issuer, or pay with another wallet.'),
  gas_budget_spent: entry(200, 'payer', 'Too much gas was lost; pay with another wallet, or later.', true),
  intent_not_payable: entry(200, 'payer', 'The intent is paid, canceled or expired; create another.'),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof ERRORS;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}
