import { askEngine } from './ask-engine.ts';
import { createReach, type Reach } from './reach.ts';

/** Wakes a drain. Cheap, and never more than a hint: what it was woken for stands in the database. */
export type WakeDrain = (name: string, key: string) => Promise<void>;

/** Throws when no node hears. Woken twice, a drain finds nothing to do the second time. */
export const createWakeDrain = (ingressUrls: readonly string[]): WakeDrain => wakeBy(createReach(ingressUrls));

export const wakeBy =
  (reach: Reach): WakeDrain =>
  async (name, key) => {
    await reach((url) => askEngine('POST', `${url}/${name}/${encodeURIComponent(key)}/drain/send`));
  };
