// Which addresses before a request are proxies of the operator. Both must hold: the address is on the operator's list,
// and it is no further away than the number of proxies. The list alone would believe a client whose own address is in a
// listed range.
import { type IpRange, isWithin, parseRange, readClientAddress, unmapRange } from '@svc-pay/core';

/** Of an address and its distance, 0 for the socket. The first address that is not trusted is the client's. */
export type TrustsProxy = (address: string, hop: number) => boolean;

/** Throws for a text that is no range: the configuration refuses it earlier. */
export function trustProxies(proxies: readonly string[], hops: number): TrustsProxy {
  const ranges = proxies.map((text): IpRange => {
    const range = parseRange(text);
    if (range === undefined) throw new Error(`SVC_API_TRUSTED_PROXIES: ${text} is no address and no range`);
    return unmapRange(range);
  });
  return (text, hop) => {
    if (hop >= hops) return false;
    const address = readClientAddress(text);
    return address !== undefined && ranges.some((range) => isWithin(address, range));
  };
}
