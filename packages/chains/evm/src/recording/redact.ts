// Removes what an RPC URL contains besides its scheme from text that is written down. Providers put their keys into the path,
// the query, the user or the host, and some quote them in error messages.
import { isIP } from 'node:net';

const SHORTEST_SECRET = 6;
const REMOVED = '…';

/** Removes every part of the URL that may be a key, wherever it stands. */
export function redactionOf(url: string): (text: string) => string {
  const { host, hostname, username, password, pathname, searchParams, hash } = new URL(url);
  const labels = isLocal(hostname) ? [] : [host, ...hostname.split('.').slice(0, -2)];
  const parts = [username, password, hash.slice(1), ...pathname.split('/'), ...searchParams.values(), ...labels];
  const secrets = [...new Set(parts.flatMap((part) => [part, decoded(part)]))]
    .filter((part) => part.length >= SHORTEST_SECRET)
    // A part may contain another one.
    .toSorted((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
}

/** Addresses in a message of a node: they may carry a key that the URL does not have. */
export function withoutAddresses(text: string): string {
  return text.replaceAll(/\w+:\/\/[^\s"'<>\\]+/g, REMOVED);
}

/** The provider's domain without the parts in front, which may be the customer's own. */
export function providerOf(url: string): string {
  const { hostname } = new URL(url);
  return isLocal(hostname) ? 'local' : hostname.split('.').slice(-2).join('.');
}

const isLocal = (hostname: string): boolean => isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0 || !hostname.includes('.');

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
