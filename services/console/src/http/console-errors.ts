// Refusals of the console itself. What the API and the admin service refuse is passed on as it is.
export const CONSOLE_ERRORS = {
  malformed_request: [400, 'The request has another shape than this action takes.'],
  invalid_json: [400, 'The body is not valid JSON.'],
  unsupported_media_type: [415, 'Send the body as application/json.'],
  payload_too_large: [413, 'The body is larger than the console takes.'],
  origin_refused: [403, 'Requests come from the pages of the console alone.'],
  session_missing: [401, 'Sign in.'],
  session_over: [401, 'The session is over; sign in again.'],
  check_needed: [403, 'Confirm with your passkey, and repeat the action.'],
  role_missing: [403, 'Your role in this account does not include this action; ask an owner.'],
  operator_view_missing: [403, 'The operator of this service alone sees this page.'],
  not_found: [404, 'There is nothing here for you.'],
  method_not_allowed: [405, 'This path does not support this method.'],
  passkey_refused: [401, 'The passkey was not accepted; try again, or ask an owner of your account for help.'],
  passkey_known: [409, 'This passkey is registered already; use another device.'],
  passkey_unknown: [404, 'You have no such passkey.'],
  last_passkey: [409, 'This is your only passkey; add another one before you remove it.'],
  too_many_passkeys: [409, 'You have as many passkeys as a person can have; remove one first.'],
  invitation_invalid: [404, 'This link was used, was withdrawn, or is too old; ask for another one.'],
  member_already: [409, 'You are a member of this account already.'],
  member_unknown: [404, 'The account has no such member.'],
  person_unknown: [404, 'The account has no such member.'],
  account_unknown: [404, 'There is no such account for you.'],
  last_owner: [409, 'The account would have no owner; make somebody else an owner first.'],
  too_many_people: [409, 'The account has as many people as it can have; remove somebody first.'],
  recovery_not_allowed: [
    403,
    'This person belongs to accounts that you do not own; ask the operator of this service for the link.',
  ],
  rate_limited: [429, 'Too many tries; wait a minute.'],
  upstream_unavailable: [502, 'The service behind the console does not answer; try again.'],
  internal_error: [500, 'Something went wrong; try again.'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

export type ConsoleErrorCode = keyof typeof CONSOLE_ERRORS;

/** Thrown by a handler; the app writes the answer. */
export class ConsoleRefusal extends Error {
  readonly code: ConsoleErrorCode;
  constructor(code: ConsoleErrorCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}
