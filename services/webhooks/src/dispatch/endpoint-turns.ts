// Order of endpoints when there is not room for all: least recently served first. An endpoint with one fresh event
// therefore goes before endpoints with a backlog of thousands.

export type EndpointTurns = {
  /** Returns the same endpoints, least recently served first. */
  readonly inOrder: <Endpoint extends { readonly endpointId: string }>(
    endpoints: readonly Endpoint[],
  ) => readonly Endpoint[];
  readonly had: (endpointId: string) => void;
};

const MOST_REMEMBERED = 50_000;

export function createEndpointTurns(): EndpointTurns {
  const lastTurns = new Map<string, number>();
  let turn = 0;
  return {
    inOrder: (endpoints) =>
      endpoints.toSorted((one, other) => (lastTurns.get(one.endpointId) ?? 0) - (lastTurns.get(other.endpointId) ?? 0)),
    had: (endpointId) => {
      if (lastTurns.size >= MOST_REMEMBERED && !lastTurns.has(endpointId)) lastTurns.clear();
      turn += 1;
      lastTurns.set(endpointId, turn);
    },
  };
}
