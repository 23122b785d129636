import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { addressHash, createAddressHasher, dayOf } from './address-hash.ts';

const NOON_MS = Date.parse('2026-11-15T12:00:00Z');
const DAY_MS = 86_400_000;
const pepper = new Uint8Array(32).fill(7);

test('an operator who has the address finds the hash of any day', () => {
  const hashOf = createAddressHasher(pepper);
  for (const address of ['192.0.2.1', '2001:db8::5', 'unknown']) {
    for (const nowMs of [NOON_MS, NOON_MS + DAY_MS, NOON_MS]) {
      expect(hashOf(address, nowMs)).toBe(addressHash(pepper, address, dayOf(nowMs)));
    }
  }
});

test('the hash changes at midnight, and with the pepper', () => {
  const hashOf = createAddressHasher(pepper);
  const midnightMs = Date.parse('2026-11-16T00:00:00Z');
  expect(hashOf('192.0.2.1', midnightMs - 1)).not.toBe(hashOf('192.0.2.1', midnightMs));
  expect(createAddressHasher(new Uint8Array(32))('192.0.2.1', NOON_MS)).not.toBe(hashOf('192.0.2.1', NOON_MS));
});

test('addresses of one client have one hash, others another', () => {
  const hash = (address: string) => addressHash(pepper, address, '2026-11-15');
  expect(hash('::ffff:192.0.2.1')).toBe(hash('192.0.2.1'));
  expect(hash('2001:db8::1')).toBe(hash('2001:db8::ffff'));
  expect(new Set(['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8:0:1::1', ''].map(hash)).size).toBe(5);
});

test('an address hash differs from every other hash that the pepper makes', () => {
  const other = createHmac('sha256', pepper).update('192.0.2.1').digest('hex');
  expect(addressHash(pepper, '192.0.2.1', '2026-11-15')).not.toBe(other.slice(0, 16));
});
