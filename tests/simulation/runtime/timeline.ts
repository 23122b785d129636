// Virtual time. Actions run one after the other, in the order of their moments and then of their being planned; between two
// of them everything that an action set in motion comes to rest. Nothing ever waits for a real clock.

export type Timeline = {
  readonly nowMs: () => number;
  /** Answers how to call it off. */
  readonly after: (delayMs: number, action: () => void) => () => void;
  /** Until nothing is planned, or `isOver`. */
  readonly run: (isOver: () => boolean) => Promise<void>;
  readonly steps: () => number;
};

type Planned = { readonly atMs: number; readonly place: number; action: (() => void) | undefined };

const realImmediate = setImmediate;
const comeToRest = () => new Promise<void>((resolve) => realImmediate(resolve));

export function createTimeline(startMs: number): Timeline {
  const heap: Planned[] = [];
  let nowMs = startMs;
  let place = 0;
  let steps = 0;
  return {
    nowMs: () => nowMs,
    steps: () => steps,
    after: (delayMs, action) => {
      const planned: Planned = { atMs: nowMs + Math.max(0, Math.round(delayMs)), place, action };
      place += 1;
      push(heap, planned);
      return () => {
        planned.action = undefined;
      };
    },
    run: async (isOver) => {
      while (!isOver()) {
        const next = pop(heap);
        if (next === undefined) return;
        if (next.action === undefined) continue;
        nowMs = next.atMs;
        steps += 1;
        next.action();
        await comeToRest();
      }
    },
  };
}

const isBefore = (one: Planned, other: Planned) =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.place < other.place);

function push(heap: Planned[], planned: Planned): void {
  heap.push(planned);
  let index = heap.length - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!isBefore(heap[index]!, heap[parent]!)) return;
    [heap[index], heap[parent]] = [heap[parent]!, heap[index]!];
    index = parent;
  }
}

function pop(heap: Planned[]): Planned | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  heap[0] = last;
  let index = 0;
  for (;;) {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    let least = index;
    if (left < heap.length && isBefore(heap[left]!, heap[least]!)) least = left;
    if (right < heap.length && isBefore(heap[right]!, heap[least]!)) least = right;
    if (least === index) return first;
    [heap[index], heap[least]] = [heap[least]!, heap[index]!];
    index = least;
  }
}
