// Removes what an RPC URL contains besides its scheme from text that is written down. Providers put their keys into the path,
// the query, the user or the host, and some quote them in error messages.
import { isIP } from 'node:net';

const SHORTEST_SECRET = 6;
const REMOVED = '…';

/** Removes every part of the URL that may be a key, wherever it stands. */
export function redactionOf(url: string): (text: string) => string {
  const { host, hostname, username, password, pathname, search, searchParams, hash } = new URL(url);
  const labels = isLocal(hostname) ? [] : [host, ...hostname.split('.').slice(0, -2)];
  // A key may stand alone, or behind its name: `?key`, `?name=key`.
  const queried = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1) || pair.slice(0, -1));
  const credentials = [username, password, ...basicOf(username, password)];
  const parts = [
    ...credentials,
    hash.slice(1),
    ...pathname.split('/'),
    ...queried,
    ...searchParams.values(),
    ...labels,
  ];
  const secrets = [...new Set(parts.flatMap((part) => [part, decoded(part)]))]
    .filter((part) => part.length >= SHORTEST_SECRET)
    // A part may contain another one.
    .toSorted((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
}

/** User and password as the header of HTTP has them, without padding. */
function basicOf(username: string, password: string): readonly string[] {
  if (username === '' && password === '') return [];
  const pairs = [`${username}:${password}`, `${decoded(username)}:${decoded(password)}`];
  return pairs.map((pair) => Buffer.from(pair).toString('base64').replace(/=+$/, ''));
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
