// Limits open streams: per process, and per address, key and intent. Streams last for minutes, so one visitor must not
// be able to take all slots.

export type StreamLimits = {
  readonly max: number;
  readonly perAddress: number;
  readonly perKey: number;
  readonly perIntent: number;
};

export type StreamOwner = { readonly address: string; readonly key: string; readonly intent: string };

export type TakenSlot =
  | { readonly ok: true; readonly release: () => void }
  /** `process`: no slot is left for anybody. `owner`: the address, key or intent has reached its limit. */
  | { readonly ok: false; readonly full: 'process' | 'owner' };

export function createStreamSlots(limits: StreamLimits): { readonly take: (owner: StreamOwner) => TakenSlot } {
  const counts = new Map<string, number>();
  const countOf = (name: string) => counts.get(name) ?? 0;
  let taken = 0;
  return {
    take({ address, key, intent }) {
      const shares: readonly (readonly [string, number])[] = [
        [`address:${address}`, limits.perAddress],
        [`key:${key}`, limits.perKey],
        [`intent:${intent}`, limits.perIntent],
      ];
      if (shares.some(([name, most]) => countOf(name) >= most)) return { ok: false, full: 'owner' };
      if (taken >= limits.max) return { ok: false, full: 'process' };
      taken += 1;
      for (const [name] of shares) counts.set(name, countOf(name) + 1);
      let released = false;
      return {
        ok: true,
        release() {
          if (released) return;
          released = true;
          taken -= 1;
          for (const [name] of shares) {
            const left = countOf(name) - 1;
            if (left > 0) counts.set(name, left);
            else counts.delete(name);
          }
        },
      };
    },
  };
}
