// A state machine as one table. Nothing else decides whether a status may follow another.

/** An edge marked `reorg` exists only because a chain may take back what it said; it is taken for no other cause. */
type Edge<Status extends string> = Status | { readonly to: Status; readonly only: 'reorg' };
export type Transitions<Status extends string> = Readonly<Record<Status, readonly Edge<Status>[]>>;
export type Cause = 'ordinary' | 'reorg';

export function mayFollow<Status extends string>(
  table: Transitions<Status>,
  from: Status,
  to: Status,
  cause: Cause = 'ordinary',
): boolean {
  return table[from].some((edge) =>
    typeof edge === 'string' ? edge === to && cause === 'ordinary' : edge.to === to && edge.only === cause,
  );
}

/** The new status; an illegal step is a bug of the caller and throws. */
export function transition<Status extends string>(
  table: Transitions<Status>,
  from: Status,
  to: Status,
  cause: Cause = 'ordinary',
): Status {
  if (!mayFollow(table, from, to, cause)) throw new Error(`${from} can't become ${to} (${cause})`);
  return to;
}

/** The table as a Mermaid diagram, for the docs. */
export function diagramOf<Status extends string>(table: Transitions<Status>, start: Status): string {
  const statuses = Object.keys(table) as Status[];
  const lines = statuses.flatMap((from) => {
    const edges = table[from];
    if (edges.length === 0) return [`  ${from} --> [*]`];
    return edges.map((edge) =>
      typeof edge === 'string' ? `  ${from} --> ${edge}` : `  ${from} --> ${edge.to}: ${edge.only}`,
    );
  });
  return ['stateDiagram-v2', `  [*] --> ${start}`, ...lines].join('\n');
}
