import type { SellerChallenge } from './read-challenge.ts';
import { isRecord } from './read-json.ts';

/**
 * The host that a 402 names instead of the one it came from: somebody else's 402, passed on. Scheme and path are not
 * compared, because proxies change them; a name that is no web address is nobody's host.
 */
export function foreignHost({ version, resource }: SellerChallenge, offer: unknown, url: URL): string | undefined {
  const named = version === 1 ? fieldOf(offer, 'resource') : fieldOf(resource, 'url');
  if (named === undefined || !URL.canParse(named, url.href)) return undefined;
  const { host, protocol } = new URL(named, url.href);
  return /^https?:$/.test(protocol) && host !== url.host ? host : undefined;
}

function fieldOf(value: unknown, field: string): string | undefined {
  const found = isRecord(value) ? value[field] : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
}
