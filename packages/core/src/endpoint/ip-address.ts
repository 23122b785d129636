// Parses addresses to numbers, so that a range check is two comparisons. Strict: one IPv4 notation, no zones, no
// leading zeros.

export type IpAddress = { readonly family: 4 | 6; readonly value: bigint };

export type IpRange = { readonly family: 4 | 6; readonly first: bigint; readonly last: bigint };

const BITS = { 4: 32, 6: 128 } as const;
const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-fA-F]{1,4}$/;
const GROUPS = 8;

/** Undefined for a text that is not exactly one address. */
export function parseIp(text: string): IpAddress | undefined {
  const four = ipv4(text);
  if (four !== undefined) return { family: 4, value: four };
  const six = ipv6(text);
  return six === undefined ? undefined : { family: 6, value: six };
}

/** `10.0.0.0/8`, or a single address. */
export function parseRange(text: string): IpRange | undefined {
  const [address = '', length, ...more] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined || more.length > 0) return undefined;
  const bits = BITS[ip.family];
  if (length !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const kept = length === undefined ? bits : Number.parseInt(length, 10);
  if (kept > bits) return undefined;
  const size = 1n << BigInt(bits - kept);
  const first = (ip.value / size) * size;
  return { family: ip.family, first, last: first + size - 1n };
}

export function isWithin({ family, value }: IpAddress, range: IpRange): boolean {
  return family === range.family && value >= range.first && value <= range.last;
}

function ipv4(text: string): bigint | undefined {
  const octets = text.split('.');
  if (octets.length !== 4) return undefined;
  let value = 0n;
  for (const octet of octets) {
    if (!OCTET.test(octet) || Number.parseInt(octet, 10) > 255) return undefined;
    value = value * 256n + BigInt(octet);
  }
  return value;
}

function ipv6(text: string): bigint | undefined {
  const halves = withoutDots(text)?.split('::');
  if (halves === undefined || halves.length > 2) return undefined;
  const [head = [], tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = GROUPS - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = tail === undefined ? head : [...head, ...Array<string>(missing).fill('0'), ...tail];
  if (!groups.every((group) => GROUP.test(group))) return undefined;
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

/** The last 32 bits may be written as IPv4. */
function withoutDots(text: string): string | undefined {
  if (!text.includes('.')) return text;
  const colon = text.lastIndexOf(':');
  const inner = ipv4(text.slice(colon + 1));
  if (colon < 0 || inner === undefined) return undefined;
  return `${text.slice(0, colon + 1)}${(inner >> 16n).toString(16)}:${(inner & 0xffffn).toString(16)}`;
}
