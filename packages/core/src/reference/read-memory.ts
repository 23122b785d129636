// What a process remembers of transactions that it has read, so that a run does not read them again while the cursor of their
// reference stands still. It may forget anything: then they are read again, and mean the same.

/** `absent`: a quorum of nodes did not have it. `waits`: it could not be decided. */
export type ReadState = 'decided' | 'absent' | 'waits';

export type ReferenceMemory = {
  /** By transaction. */
  readonly states: Map<string, { readonly state: ReadState; readonly reads: number }>;
  /** Pages of its list that a run asks for. */
  pages: number;
};

export type ReadMemory = {
  readonly of: (reference: string) => ReferenceMemory;
  readonly keep: (reference: string, memory: ReferenceMemory) => void;
  readonly forget: (reference: string) => void;
};

/** Keeps about so many transactions; the references that were read longest ago are forgotten first. */
export function createReadMemory(mostTransactions: number, firstPages: number): ReadMemory {
  const kept = new Map<string, { readonly memory: ReferenceMemory; readonly size: number }>();
  let count = 0;
  const forget = (reference: string) => {
    count -= kept.get(reference)?.size ?? 0;
    kept.delete(reference);
  };
  return {
    of: (reference) => kept.get(reference)?.memory ?? { states: new Map(), pages: firstPages },
    keep: (reference, memory) => {
      forget(reference);
      for (const oldest of kept.keys()) {
        if (count + memory.states.size <= mostTransactions) break;
        forget(oldest);
      }
      kept.set(reference, { memory, size: memory.states.size });
      count += memory.states.size;
    },
    forget,
  };
}

export function noteState({ states }: ReferenceMemory, transactionId: string, state: ReadState): void {
  states.set(transactionId, { state, reads: (states.get(transactionId)?.reads ?? 0) + 1 });
}
