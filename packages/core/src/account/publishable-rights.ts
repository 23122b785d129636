// What the publishable keys of an account may do. They are public: whoever reads the merchant's page has one.
import type { Mode } from './mode.ts';

export type PublishableRights = {
  /** Origins whose pages may use the key; null for all pages. */
  readonly origins: readonly string[] | null;
  /** False: only the secret key creates intents. */
  readonly creates: boolean;
};

export const MAX_ORIGINS = 20;

export type PublishableUse = {
  /** The `Origin` that a browser sent; undefined for programs, and for pages that the API's own host serves. */
  readonly origin: string | undefined;
  /** The route creates an intent. */
  readonly creates: boolean;
};

/**
 * Why the key may not be used so. A request without an origin is not of another site's page: it is taken, because agents and
 * servers send none, and a program can send any origin it likes.
 */
export function rightsRefusal(
  { origins, creates }: PublishableRights,
  use: PublishableUse,
): 'origin_not_allowed' | 'key_kind_not_allowed' | undefined {
  if (origins !== null && use.origin !== undefined && !origins.includes(use.origin)) return 'origin_not_allowed';
  return use.creates && !creates ? 'key_kind_not_allowed' : undefined;
}

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** An origin as browsers send it; undefined for anything else. In live mode `http` is for the own machine alone. */
export function readOrigin(text: string, mode: Mode): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, origin, href } = new URL(text);
  if (href !== `${origin}/`) return undefined;
  if (protocol === 'https:') return origin;
  return protocol === 'http:' && (mode === 'test' || LOCAL_HOSTS.has(hostname)) ? origin : undefined;
}
