// Redacts a log line just before it is written. No code logs a secret on purpose; this catches accidents, such as a key
// inside the message of an exception.

const KEY_TEXT = /([ps]k_(?:test|live)_)[0-9A-Za-z_]+/g;
const OPERATOR_KEY = /(opk_)[0-9A-Za-z]+/g;
const BEARER = /\b(bearer\s+)[^\s"',;\\]+/gi;
const QUERY_KEY = /(publishableKey(?:=|%3D|"\s*:\s*"))[^&\s"\\]+/gi;
const URL_PASSWORD = /([a-z][a-z0-9+.-]*:\/\/[^\s:/@"]*:)[^\s@"]+@/gi;

export function redact(line: string): string {
  const redacted = line
    .replace(KEY_TEXT, '$1[redacted]')
    .replace(OPERATOR_KEY, '$1[redacted]')
    .replace(BEARER, '$1[redacted]')
    .replace(QUERY_KEY, '$1[redacted]');
  // The expression is tried at every letter of the line: without the look before it, 1 % of settlement's CPU.
  return redacted.includes('://') ? redacted.replace(URL_PASSWORD, '$1[redacted]@') : redacted;
}
