// The address of a client, as the API sees it: an IPv4 address in either notation is the same address.
import { type IpAddress, type IpRange, isWithin, parseIp, parseRange } from '../endpoint/ip-address.ts';

/** A proxy may forward an address with its port. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;
/** `::ffff:0:0/96`: IPv4 addresses written as IPv6. */
const MAPPED: IpRange = { family: 6, first: 0xffff_0000_0000n, last: 0xffff_ffff_ffffn };
const CUSTOMER_BITS_V6 = 64n;

/** Undefined for a text that is no address. */
export function readClientAddress(text: string): IpAddress | undefined {
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? [];
  const address = parseIp((bracketed ?? dotted ?? text).split('%', 1)[0] ?? '');
  if (address === undefined || !isWithin(address, MAPPED)) return address;
  return { family: 4, value: address.value & 0xffff_ffffn };
}

/** A range of IPv4 addresses in IPv6 notation is the range of these IPv4 addresses, as with `readClientAddress`. */
export function unmapRange(range: IpRange): IpRange {
  const mapped = range.family === 6 && range.first >= MAPPED.first && range.last <= MAPPED.last;
  return mapped ? { family: 4, first: range.first & 0xffff_ffffn, last: range.last & 0xffff_ffffn } : range;
}

/** One name per client. An IPv6 customer has at least a /64, so a /64 is one client. */
export function clientName({ family, value }: IpAddress): string {
  return `${family}/${family === 4 ? value : value >> CUSTOMER_BITS_V6}`;
}

/** Widest ranges that can be denied: a mistyped length must not refuse everybody. */
const SHORTEST_PREFIX = { 4: 8n, 6: 16n } as const;
const BITS = { 4: 32n, 6: 128n } as const;

export type ReadClientRange =
  | { readonly ok: true; readonly range: IpRange; readonly text: string }
  | { readonly ok: false; readonly code: 'not_a_range' | 'too_wide' };

/**
 * Reads a range in CIDR notation, or one address, and writes it in one form. An IPv6 address without a length stands for its
 * /64.
 */
export function readClientRange(text: string): ReadClientRange {
  const alone = !text.includes('/');
  const read = parseRange(text);
  if (read === undefined) return { ok: false, code: 'not_a_range' };
  const unmapped = unmapRange(read);
  const range = alone && unmapped.family === 6 ? customerOf(unmapped) : unmapped;
  const prefix = prefixOf(range);
  if (prefix < SHORTEST_PREFIX[range.family]) return { ok: false, code: 'too_wide' };
  return { ok: true, range, text: `${writeAddress(range.family, range.first)}/${prefix}` };
}

function customerOf({ first }: IpRange): IpRange {
  const start = (first >> CUSTOMER_BITS_V6) << CUSTOMER_BITS_V6;
  return { family: 6, first: start, last: start + (1n << CUSTOMER_BITS_V6) - 1n };
}

function prefixOf({ family, first, last }: IpRange): bigint {
  const size = last - first + 1n;
  return BITS[family] - BigInt(size.toString(2).length - 1);
}

function writeAddress(family: 4 | 6, value: bigint): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn);
  const text = groups.map((group) => group.toString(16)).join(':');
  const [longest] = [...text.matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].toSorted((a, b) => b[0].length - a[0].length);
  if (longest === undefined) return text;
  const [before, after] = [text.slice(0, longest.index), text.slice(longest.index + longest[0].length + 1)];
  return `${before}::${after}`;
}
