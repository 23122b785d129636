// Prefixed ids that sort by time: `<prefix>_` + 10 characters of milliseconds + 16 characters of randomness, in the
// lower-case Crockford alphabet. The prefix is part of the type, so that one kind can't be passed for another.

const PREFIXES = {
  account: 'acct',
  attempt: 'att',
  audit: 'aud',
  batch: 'bat',
  delivery: 'whd',
  endpoint: 'we',
  event: 'evt',
  key: 'key',
  ledgerEntry: 'lg',
  operator: 'op',
  payment: 'pay',
  paymentIntent: 'pi',
  request: 'req',
  settlement: 'stl',
} as const;

export type IdKind = keyof typeof PREFIXES;
declare const idKind: unique symbol;
export type Id<Kind extends IdKind> = string & { readonly [idKind]: Kind };

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const RANDOM_BYTES = 10;
const MAX_TIME_MS = 2 ** 48 - 1;

export type RandomBytes = (length: number) => Uint8Array;

const cryptoRandomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** 80 random bits after the time: ids of one millisecond are unique, not ordered among themselves. */
export function newId<Kind extends IdKind>(
  kind: Kind,
  nowMs: number,
  randomBytes: RandomBytes = cryptoRandomBytes,
): Id<Kind> {
  if (!Number.isSafeInteger(nowMs) || nowMs < 0 || nowMs > MAX_TIME_MS) throw new RangeError('time is out of range');
  const random = randomBytes(RANDOM_BYTES).reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  return `${PREFIXES[kind]}_${inBase32(BigInt(nowMs), TIME_CHARACTERS)}${inBase32(random, RANDOM_CHARACTERS)}` as Id<Kind>;
}

export function isId<Kind extends IdKind>(kind: Kind, text: unknown): text is Id<Kind> {
  if (typeof text !== 'string') return false;
  const prefix = `${PREFIXES[kind]}_`;
  // The first character carries three bits: more would be a time past the 48th bit.
  return text.startsWith(prefix) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length));
}

/** Milliseconds since the epoch at which the id was drawn. */
export function timeOfId(id: Id<IdKind>): number {
  const start = id.indexOf('_') + 1;
  let time = 0;
  for (const character of id.slice(start, start + TIME_CHARACTERS)) time = time * 32 + ALPHABET.indexOf(character);
  return time;
}

function inBase32(value: bigint, length: number): string {
  let text = '';
  let rest = value;
  for (let position = 0; position < length; position += 1) {
    text = ALPHABET.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text;
}
