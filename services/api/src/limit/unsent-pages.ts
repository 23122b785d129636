/** Pages whose bytes are still in this process: a client that does not read keeps them there. */
export type UnsentPages = {
  /** Takes a place and returns what gives it back, once; undefined when there is none. */
  readonly take: (accountId: string) => (() => void) | undefined;
};

/** A client may ask for the next page before the process hears that the one before was sent. */
const MOST_OF_ACCOUNT = 2;
const MOST = 20;

export function createUnsentPages(): UnsentPages {
  const held = new Map<string, number>();
  let all = 0;
  const add = (accountId: string, change: 1 | -1) => {
    const count = (held.get(accountId) ?? 0) + change;
    all += change;
    if (count === 0) held.delete(accountId);
    else held.set(accountId, count);
  };
  return {
    take(accountId) {
      if (all >= MOST || (held.get(accountId) ?? 0) >= MOST_OF_ACCOUNT) return undefined;
      add(accountId, 1);
      let isHeld = true;
      return () => {
        if (isHeld) add(accountId, -1);
        isHeld = false;
      };
    },
  };
}
