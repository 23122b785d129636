// Addresses that a delivery never connects to: all that are not on the public internet, in any notation. Of IPv6 only
// the allocated global range counts as public; IPv4-mapped addresses are judged as IPv4, other translations denied.
import { type IpAddress, type IpRange, isWithin, parseIp, parseRange } from './ip-address.ts';

export type AddressPolicy = {
  /** For test mode on a developer's machine. */
  readonly allowLoopback: boolean;
  /** The operator's own addresses. */
  readonly alsoDenied: readonly IpRange[];
};

const ranges = (...texts: string[]): readonly IpRange[] => texts.map(rangeOf);

const DENIED = ranges(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Looks public, but is the host machine in one of the large clouds.
  '168.63.129.16',
  // Protocol assignments with Teredo, documentation, 6to4, documentation.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
);
const PUBLIC_IPV6 = rangeOf('2000::/3');
const MAPPED = rangeOf('::ffff:0:0/96');
const LOOPBACK = ranges('127.0.0.0/8', '::1');

function rangeOf(text: string): IpRange {
  const range = parseRange(text);
  if (range === undefined) throw new Error(`${text} is no range`);
  return range;
}

/** True also for a text that is no address. */
export function isDeniedAddress(text: string, policy: AddressPolicy): boolean {
  const spelled = parseIp(text);
  if (spelled === undefined) return true;
  if (policy.allowLoopback && LOOPBACK.some((range) => isWithin(spelled, range))) return false;
  const address = unwrapped(spelled);
  if (address.family === 6 && !isWithin(address, PUBLIC_IPV6)) return true;
  return [...DENIED, ...policy.alsoDenied].some((range) => isWithin(address, range));
}

function unwrapped(address: IpAddress): IpAddress {
  return isWithin(address, MAPPED) ? { family: 4, value: address.value & 0xffff_ffffn } : address;
}
