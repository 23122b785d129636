// Prefixed ids that sort by time: `<prefix>_` + 10 characters of milliseconds + 16 characters of randomness, in the
// lower-case Crockford alphabet. The prefix is part of the type, so that one kind can't be passed for another.

const PREFIXES = {
  account: 'acct',
  attempt: 'att',
  audit: 'aud',
  batch: 'bat',
  consoleSession: 'cse',
  delivery: 'whd',
  endpoint: 'we',
  event: 'evt',
  invitation: 'inv',
  key: 'key',
  ledgerEntry: 'lg',
  operator: 'op',
  passkeyCheck: 'chk',
  payment: 'pay',
  paymentIntent: 'pi',
  person: 'psn',
  refund: 're',
  replay: 'rec',
  request: 'req',
  settlement: 'stl',
} as const;

export type IdKind = keyof typeof PREFIXES;
declare const idKind: unique symbol;
export type Id<Kind extends IdKind> = string & { readonly [idKind]: Kind };

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_BYTES = 10;
const MAX_TIME_MS = 2 ** 48 - 1;

export type RandomBytes = (length: number) => Uint8Array;

const POOL_BYTES = 2_560;
let pool = new Uint8Array(0);
let used = 0;

/** Random bytes are pooled: one call to the operating system per id would cost more than the rest of it. */
const cryptoRandomBytes: RandomBytes = (length) => {
  if (used + length > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES));
    used = 0;
  }
  used += length;
  return pool.subarray(used - length, used);
};

/** 80 random bits after the time: ids of one millisecond are unique, but not ordered among themselves. */
export function newId<Kind extends IdKind>(
  kind: Kind,
  nowMs: number,
  randomBytes: RandomBytes = cryptoRandomBytes,
): Id<Kind> {
  if (!Number.isSafeInteger(nowMs) || nowMs < 0 || nowMs > MAX_TIME_MS) throw new RangeError('time is out of range');
  const random = randomBytes(RANDOM_BYTES);
  return `${PREFIXES[kind]}_${inBase32(nowMs, TIME_CHARACTERS)}${fiveBytes(random, 0)}${fiveBytes(random, 5)}` as Id<Kind>;
}

export function isId<Kind extends IdKind>(kind: Kind, text: unknown): text is Id<Kind> {
  if (typeof text !== 'string') return false;
  const prefix = `${PREFIXES[kind]}_`;
  // The first character holds three bits: more would be a time past the 48th bit.
  return text.startsWith(prefix) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length));
}

/** Sorts before every id of that moment or later, and after all earlier ones. */
export function idBound(kind: IdKind, atMs: number): string {
  return `${PREFIXES[kind]}_${inBase32(Math.min(Math.max(atMs, 0), MAX_TIME_MS), TIME_CHARACTERS)}`;
}

/** Milliseconds since the epoch at which the id was made. */
export function timeOfId(id: Id<IdKind>): number {
  const start = id.indexOf('_') + 1;
  let time = 0;
  for (const character of id.slice(start, start + TIME_CHARACTERS)) time = time * 32 + ALPHABET.indexOf(character);
  return time;
}

/** Five bytes are eight characters, and fit a number exactly. */
function fiveBytes(bytes: Uint8Array, start: number): string {
  let value = 0;
  for (let index = start; index < start + 5; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return inBase32(value, 8);
}

function inBase32(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let position = 0; position < length; position += 1) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
