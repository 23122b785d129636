// Authorizes callers of the internal listener by a configured key. Several keys are valid together, so that an operator
// can hand out a new key before removing the old one.
import { createHash, timingSafeEqual } from 'node:crypto';

export type IsInternalKey = (authorization: string | undefined) => boolean;

const digestOf = (text: string) => createHash('sha256').update(text).digest();

export function createInternalKeyCheck(keys: readonly string[]): IsInternalKey {
  const known = keys.map(digestOf);
  return (authorization) => {
    const shown = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (shown === undefined) return false;
    const digest = digestOf(shown);
    // Compares with every key, so that the response time reveals nothing.
    return known.map((key) => timingSafeEqual(key, digest)).includes(true);
  };
}
