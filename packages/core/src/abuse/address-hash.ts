// Log lines and counts name a client by a keyed hash of its address. The key is made from the pepper and changes every day
// (UTC): whoever has the address and the pepper finds the lines of a day, and nobody follows a person over days by the lines
// alone.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { isoTime } from '../clock.ts';
import { clientName, readClientAddress } from './client-address.ts';

const HASH_CHARACTERS = 16;
export const ADDRESS_HASH = /^[0-9a-f]{16}$/;
const DAY_MS = 86_400_000;
/** Addresses whose hash is kept for the day. */
const MAX_KEPT = 10_000;
/** Length limit: a proxy may forward any text. */
const MAX_TEXT = 64;

/** The day of a hash, `2026-11-15`. */
export function dayOf(nowMs: number): string {
  return isoTime(nowMs).slice(0, 10);
}

export function dayEndMs(nowMs: number): number {
  return (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
}

/** Text that is no address is hashed as it is. */
export function addressHash(pepper: Uint8Array, address: string, day: string): string {
  return hashUnder(keyOfDay(pepper, day), address);
}

/** The same with a cache: most requests come from addresses that were seen before. */
export function createAddressHasher(pepper: Uint8Array): (address: string, nowMs: number) => string {
  const known = new Map<string, string>();
  let endMs = 0;
  let key: KeyObject | undefined;
  return (address, nowMs) => {
    if (key === undefined || nowMs >= endMs || nowMs < endMs - DAY_MS) {
      known.clear();
      endMs = dayEndMs(nowMs);
      key = keyOfDay(pepper, dayOf(nowMs));
    }
    const before = known.get(address);
    if (before !== undefined) return before;
    const hash = hashUnder(key, address);
    if (known.size >= MAX_KEPT) known.delete(known.keys().next().value ?? '');
    known.set(address, hash);
    return hash;
  };
}

/** Prepared: that costs more than a hash. */
function keyOfDay(pepper: Uint8Array, day: string): KeyObject {
  return createSecretKey(createHmac('sha256', pepper).update(`client address ${day}`).digest());
}

function hashUnder(key: KeyObject, address: string): string {
  const read = readClientAddress(address);
  const name = read === undefined ? `text/${address.slice(0, MAX_TEXT)}` : clientName(read);
  return createHmac('sha256', key).update(name).digest('hex').slice(0, HASH_CHARACTERS);
}
