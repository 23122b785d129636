// Limits open streams: per process and intent, and over all processes per address, key and account. Streams last for
// minutes, so one visitor must not be able to take all slots.
import { mayOpenStream } from '@svc-pay/core';
import type { SharedStreams } from '../limit/quota-rounds.ts';

export type StreamLimits = {
  readonly max: number;
  readonly perAddress: number;
  readonly perKey: number;
  readonly perAccount: number;
  readonly perIntent: number;
};

type StreamOwner = {
  readonly address: string;
  readonly key: string;
  readonly account: string;
  readonly intent: string;
};

type TakenSlot =
  | { readonly ok: true; readonly release: () => void }
  /** `process`: no slot is left for anybody. `owner`: the address, key, account or intent has reached its limit. */
  | { readonly ok: false; readonly full: 'process' | 'owner' };

export type StreamSlots = SharedStreams & { readonly take: (owner: StreamOwner) => TakenSlot };

/** Without rounds of leases every other process counts as having no streams. */
export function createStreamSlots(limits: StreamLimits): StreamSlots {
  const counts = new Map<string, number>();
  const elsewhere = new Map<string, number>();
  const opened = new Map<string, number>();
  /** Counts that the other processes do not know yet. */
  const changed = new Set<string>();
  const asked = new Set<string>();
  const countOf = (name: string) => counts.get(name) ?? 0;
  let taken = 0;
  let live = 1;

  const sharedLimits = ({ address, key, account }: StreamOwner): readonly (readonly [string, number])[] => [
    [`address:${address}`, limits.perAddress],
    [`key:${key}`, limits.perKey],
    [`account:${account}`, limits.perAccount],
  ];
  const isFull = ([name, most]: readonly [string, number]) => {
    const count = { here: countOf(name), elsewhere: elsewhere.get(name), opened: opened.get(name) ?? 0 };
    return !mayOpenStream(count, most, live);
  };
  const change = (name: string, by: 1 | -1) => {
    const count = countOf(name) + by;
    if (count > 0) counts.set(name, count);
    else counts.delete(name);
  };

  return {
    take(owner) {
      const shared = sharedLimits(owner);
      const intent = `intent:${owner.intent}`;
      for (const [name] of shared) asked.add(name);
      if (countOf(intent) >= limits.perIntent || shared.some(isFull)) return { ok: false, full: 'owner' };
      if (taken >= limits.max) return { ok: false, full: 'process' };
      taken += 1;
      change(intent, 1);
      for (const [name] of shared) {
        change(name, 1);
        changed.add(name);
        opened.set(name, (opened.get(name) ?? 0) + 1);
      }
      let released = false;
      return {
        ok: true,
        release() {
          if (released) return;
          released = true;
          taken -= 1;
          change(intent, -1);
          for (const [name] of shared) {
            change(name, -1);
            changed.add(name);
            const since = (opened.get(name) ?? 0) - 1;
            if (since > 0) opened.set(name, since);
            else opened.delete(name);
          }
        },
      };
    },
    draft() {
      const streams = [...changed].map((name) => ({ name, open: countOf(name) }));
      const watched = [...asked];
      changed.clear();
      asked.clear();
      return { streams, watched };
    },
    apply({ watched }, answer) {
      ({ live } = answer);
      opened.clear();
      // Of a name with streams here the last answer stays: without one it would count as new, and open a stream every time.
      for (const name of elsewhere.keys()) if (!counts.has(name)) elsewhere.delete(name);
      for (const name of watched) elsewhere.set(name, answer.elsewhere.get(name) ?? 0);
    },
    giveUp({ streams }) {
      for (const { name } of streams) changed.add(name);
    },
  };
}
