// A process of the simulation. Whatever it waits for reaches it through `deliver`: never once it is dead, and all at once,
// in order, when it was frozen. So it can end at any await, and everything in its memory with it.

export type MortalProcess = {
  readonly name: string;
  readonly isAlive: () => boolean;
  readonly deliver: (action: () => void) => void;
  readonly kill: () => void;
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly isFrozen: () => boolean;
};

export function createMortalProcess(name: string, onDeath: () => void): MortalProcess {
  let alive = true;
  let frozen = false;
  let backlog: (() => void)[] = [];
  return {
    name,
    isAlive: () => alive,
    isFrozen: () => frozen,
    deliver: (action) => {
      if (!alive) return;
      if (frozen) backlog.push(action);
      else action();
    },
    kill: () => {
      if (!alive) return;
      alive = false;
      backlog = [];
      onDeath();
    },
    freeze: () => {
      frozen = true;
    },
    thaw: () => {
      frozen = false;
      const waiting = backlog;
      backlog = [];
      for (const action of waiting) if (alive) action();
    },
  };
}
