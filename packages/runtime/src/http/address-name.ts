import { isIP } from 'node:net';
import type { AddressNames } from '@svc-pay/core';

/** Length limit: names are kept for every address seen, and a proxy may forward any text. */
const MAX_TEXT = 64;
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;
const MAPPED = /^0:0:0:0:0:ffff:([0-9a-f]+):([0-9a-f]+)$/;

/**
 * Name under which an address is rate-limited. An IPv6 customer has at least a /64, so a /64 is one name. An IPv4
 * address written as IPv6 (`::ffff:192.0.2.1`) counts as the IPv4 address. Text that is no address is its own name.
 */
export function addressName(text: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? [];
  const address = (bracketed ?? dotted ?? text).split('%', 1)[0] ?? '';
  if (isIP(address) !== 6) return address.slice(0, MAX_TEXT);
  const words = wordsOf(address);
  const [, high, low] = MAPPED.exec(words.join(':')) ?? [];
  if (high === undefined || low === undefined) return `${words.slice(0, 4).join(':')}::/64`;
  return [high, low].flatMap(bytesOf).join('.');
}

/** With the /48 of an IPv6 address: a customer may have as much, which is 65,536 names. */
export function addressNames(text: string): AddressNames {
  const address = addressName(text);
  const network = address.endsWith('::/64') ? `${address.split(':', 3).join(':')}::/48` : undefined;
  return { address, network };
}

/** Eight words of a valid IPv6 address, without leading zeros. */
function wordsOf(address: string): readonly string[] {
  const [before = '', after] = address.toLowerCase().split('::');
  const [head, tail] = [readWords(before), readWords(after ?? '')];
  const gap = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: gap }, () => '0'), ...tail];
}

function readWords(part: string): readonly string[] {
  if (part === '') return [];
  return part.split(':').flatMap((word) => {
    if (!word.includes('.')) return [Number.parseInt(word, 16).toString(16)];
    const [a = 0, b = 0, c = 0, d = 0] = word.split('.').map((byte) => Number.parseInt(byte, 10));
    return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
  });
}

function bytesOf(word: string): readonly number[] {
  const value = Number.parseInt(word, 16);
  return [value >> 8, value & 0xff];
}
