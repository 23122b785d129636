// Limits the concurrent requests per endpoint. Answers raise the limit, timeouts lower it: an endpoint that hangs soon
// gets a single request at a time, with growing pauses. All hanging endpoints together share half of the total.

export type EndpointSlots = {
  /** Number of further requests that may start for this endpoint now. */
  readonly roomFor: (endpoint: string, nowMs: number) => number;
  readonly began: (endpoint: string) => void;
  readonly ended: (endpoint: string, answered: boolean, nowMs: number) => void;
  /** Number of further requests that may start in total. */
  readonly free: () => number;
};

export type SlotLimits = {
  readonly total: number;
  readonly perEndpoint: number;
  /** Slots of an endpoint that has not answered yet. */
  readonly first: number;
};

type State = { underWay: number; allowance: number; silences: number; notBeforeMs: number };

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const MOST_REMEMBERED = 20_000;

export function createEndpointSlots({ total, perEndpoint, first }: SlotLimits): EndpointSlots {
  const states = new Map<string, State>();
  let underWay = 0;
  let suspectsUnderWay = 0;
  const stateOf = (endpoint: string): State => {
    const known = states.get(endpoint);
    if (known !== undefined) return known;
    const state = { underWay: 0, allowance: Math.min(first, perEndpoint), silences: 0, notBeforeMs: 0 };
    states.set(endpoint, state);
    return state;
  };
  const forgetIdle = () => {
    for (const [endpoint, state] of states) if (state.underWay === 0) states.delete(endpoint);
  };
  const isSuspect = ({ silences }: State) => silences > 0;
  return {
    roomFor: (endpoint, nowMs) => {
      const state = states.get(endpoint);
      const free = total - underWay;
      if (state === undefined) return Math.max(0, Math.min(first, perEndpoint, free));
      if (state.notBeforeMs > nowMs) return 0;
      const shared = isSuspect(state) ? Math.max(1, Math.floor(total / 2)) - suspectsUnderWay : free;
      return Math.max(0, Math.min(state.allowance - state.underWay, free, shared));
    },
    began: (endpoint) => {
      if (states.size >= MOST_REMEMBERED) forgetIdle();
      const state = stateOf(endpoint);
      state.underWay += 1;
      underWay += 1;
      if (isSuspect(state)) suspectsUnderWay += 1;
    },
    ended: (endpoint, answered, nowMs) => {
      const state = stateOf(endpoint);
      const wasSuspect = isSuspect(state);
      if (wasSuspect) suspectsUnderWay -= 1;
      state.underWay -= 1;
      underWay -= 1;
      if (answered) {
        state.silences = 0;
        state.notBeforeMs = 0;
        state.allowance = Math.min(perEndpoint, state.allowance + 1);
      } else {
        state.silences += 1;
        state.allowance = Math.max(1, Math.floor(state.allowance / 2));
        if (state.allowance === 1) {
          state.notBeforeMs = nowMs + Math.min(FIRST_PAUSE_MS * 2 ** (state.silences - 1), LONGEST_PAUSE_MS);
        }
      }
      // The endpoint's other running requests change between the suspect and the healthy count with it.
      if (wasSuspect !== isSuspect(state)) suspectsUnderWay += wasSuspect ? -state.underWay : state.underWay;
    },
    free: () => total - underWay,
  };
}
