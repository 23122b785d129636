// Who may call the internal listener: whoever shows one of the configured keys. Several are good at once, so that a new
// one can be given out before the old one is taken away.
import { createHash, timingSafeEqual } from 'node:crypto';

export type IsInternalKey = (authorization: string | undefined) => boolean;

const digestOf = (text: string) => createHash('sha256').update(text).digest();

export function createInternalKeyCheck(keys: readonly string[]): IsInternalKey {
  const known = keys.map(digestOf);
  return (authorization) => {
    const shown = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (shown === undefined) return false;
    const digest = digestOf(shown);
    // All of them every time: how long it takes tells nothing.
    return known.map((key) => timingSafeEqual(key, digest)).includes(true);
  };
}
