// Who is refused: clients by address range or by the hash of their address, payers, and API keys. Built once per change of
// the list; a question is a lookup in a set, or a binary search in merged ranges.
import { parseAccount } from '@svc-pay/protocol/icp';
import { type IpRange, parseRange } from '../endpoint/ip-address.ts';
import { normalizeAddress } from '../token/address.ts';
import { readClientAddress } from './client-address.ts';

export const DENIED_KINDS = ['address', 'address_hash', 'payer', 'key'] as const;
export type DeniedKind = (typeof DENIED_KINDS)[number];

export type DeniedEntry = {
  readonly kind: DeniedKind;
  /** Range as `readClientRange` writes it, hash of an address, address or principal of a payer, id of a key. */
  readonly value: string;
  /** Null: until it is removed. */
  readonly expiresAtMs: number | null;
};

export type DenyList = {
  /** `hashOf` is called only while a hash is denied. */
  readonly deniesAddress: (address: string, hashOf: (address: string) => string) => boolean;
  readonly deniesPayer: (payer: string) => boolean;
  readonly deniesKey: (keyId: string) => boolean;
  readonly size: number;
  /** When the first entry expires: build the list anew then. */
  readonly changesAtMs: number;
};

export function createDenyList(entries: readonly DeniedEntry[], nowMs: number): DenyList {
  const current = entries.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
  const valuesOf = (kind: DeniedKind) => current.filter((entry) => entry.kind === kind).map(({ value }) => value);
  const ranges = valuesOf('address').flatMap((value) => parseRange(value) ?? []);
  const within = { 4: searchIn(ranges, 4), 6: searchIn(ranges, 6) };
  const [hashes, keys] = [new Set(valuesOf('address_hash')), new Set(valuesOf('key'))];
  const payers = new Set(valuesOf('payer').map(partyOf));
  return {
    size: current.length,
    changesAtMs: current.reduce(
      (first, { expiresAtMs }) => Math.min(first, expiresAtMs ?? first),
      Number.POSITIVE_INFINITY,
    ),
    deniesAddress(address, hashOf) {
      if (hashes.size > 0 && hashes.has(hashOf(address))) return true;
      if (ranges.length === 0) return false;
      const read = readClientAddress(address);
      return read !== undefined && within[read.family](read.value);
    },
    deniesPayer: (payer) => payers.size > 0 && payers.has(partyOf(payer)),
    deniesKey: (keyId) => keys.has(keyId),
  };
}

/** A principal owns all its accounts, so each of them stands for it. */
const partyOf = (payer: string): string => parseAccount(payer)?.owner ?? normalizeAddress(payer);

function searchIn(ranges: readonly IpRange[], family: 4 | 6): (value: bigint) => boolean {
  const merged: { first: bigint; last: bigint }[] = [];
  const sorted = ranges.filter((range) => range.family === family).toSorted((a, b) => (a.first < b.first ? -1 : 1));
  for (const { first, last } of sorted) {
    const before = merged.at(-1);
    if (before === undefined || first > before.last) merged.push({ first, last });
    else if (last > before.last) before.last = last;
  }
  return (value) => {
    let [low, high] = [0, merged.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const range = merged[middle];
      if (range === undefined) return false;
      if (value < range.first) high = middle - 1;
      else if (value > range.last) low = middle + 1;
      else return true;
    }
    return false;
  };
}
