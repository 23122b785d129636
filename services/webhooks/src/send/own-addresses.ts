// Addresses of this machine, public ones included: merchants must not reach services that listen there.
import { networkInterfaces } from 'node:os';
import { type IpRange, parseRange } from '@svc-pay/core';

const KEPT_MS = 30_000;

export function createOwnAddresses(): () => readonly IpRange[] {
  let known: readonly IpRange[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readAtMs > KEPT_MS) {
      known = Object.values(networkInterfaces())
        .flatMap((addresses) => addresses ?? [])
        .flatMap(({ address }) => parseRange(address.replace(/%.*$/, '')) ?? []);
      readAtMs = performance.now();
    }
    return known;
  };
}
