// A state machine as one table: the only rule for which status may follow another.

/** An edge marked `reorg` exists because a reorg may undo what the chain showed; no other cause may use it. */
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

/** Returns the new status; throws for an illegal step, which is a bug of the caller. */
export function transition<Status extends string>(
  table: Transitions<Status>,
  from: Status,
  to: Status,
  cause: Cause = 'ordinary',
  /** Names the row in the error. */
  subject = 'status',
): Status {
  if (!mayFollow(table, from, to, cause)) throw new Error(`${subject}: ${from} can't become ${to} (${cause})`);
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
