// A state machine as one table: the only rule for which status may follow another, and what each status means.

/** An edge marked with a cause exists for that cause alone. */
type Edge<Status extends string> = Status | { readonly to: Status; readonly only: SpecialCause };

/**
 * `reorg`: the chain took back what it had shown. `restore`: `svc recover` writes what the chain shows into a database
 * that lost it. `accept`: the merchant accepts money that does not fit the terms. `unwritten`: readers understand the step, and no statement makes it.
 */
type SpecialCause = 'reorg' | 'restore' | 'accept' | 'unwritten';
export type Cause = 'ordinary' | SpecialCause;

type State<Status extends string> = {
  /** What the status waits for, where success and failure lead. A sentence about its subject, for the docs. */
  readonly about: string;
  readonly next: readonly Edge<Status>[];
};

export type Transitions<Status extends string> = {
  /** The statuses in which a row may be inserted; `only` as for an edge. */
  readonly start: readonly Edge<NoInfer<Status>>[];
  readonly states: Readonly<Record<Status, State<NoInfer<Status>>>>;
};

export type StatusOf<Table> = Table extends Transitions<infer Status> ? Status : never;

/** Gives the table its type: the statuses are its keys, and every edge leads to one of them. */
export const defineTransitions = <Status extends string>(table: Transitions<Status>): Transitions<Status> => table;

export const statusesIn = <Status extends string>(table: Transitions<Status>): readonly Status[] =>
  Object.keys(table.states) as Status[];

/** Each status under its own name, so that code says `BATCH_STATUS.mined` and a misspelled status does not compile. */
export const statusNames = <Status extends string>(table: Transitions<Status>): { readonly [Name in Status]: Name } =>
  Object.fromEntries(statusesIn(table).map((status) => [status, status])) as { [Name in Status]: Name };

export function mayFollow<Status extends string>(
  table: Transitions<Status>,
  from: Status,
  to: Status,
  cause: Cause = 'ordinary',
): boolean {
  return table.states[from].next.some((edge) => targetOf(edge) === to && causeOf(edge) === cause);
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

/** Every status from which an edge leads to `to`, in the order of the table: the fence of a statement that writes it. */
export function statusesBefore<Status extends string>(
  table: Transitions<Status>,
  to: Status,
  cause: Cause = 'ordinary',
): readonly Status[] {
  return statusesIn(table).filter((from) => mayFollow(table, from, to, cause));
}

/** False if no statement writes the status: no row begins in it, and only unwritten edges lead to it. */
export function isWritten<Status extends string>(table: Transitions<Status>, status: Status): boolean {
  const into = [table.start, ...statusesIn(table).map((from) => table.states[from].next)].flat();
  return into.some((edge) => targetOf(edge) === status && causeOf(edge) !== 'unwritten');
}

/** The table as a Mermaid diagram, for the docs. An arrow that needs a special cause is labelled with it. */
export function diagramOf<Status extends string>(table: Transitions<Status>): string {
  const arrows = (from: string, edges: readonly Edge<Status>[]) => {
    const causes = Map.groupBy(edges, targetOf);
    return [...causes].map(([to, same]) => {
      const labels = same.map(causeOf).filter((cause) => cause !== 'ordinary');
      return `  ${from} --> ${to}${labels.length === same.length ? `: ${labels.join(', ')}` : ''}`;
    });
  };
  const lines = statusesIn(table).flatMap((from) => {
    const { next } = table.states[from];
    return next.length === 0 ? [`  ${from} --> [*]`] : arrows(from, next);
  });
  return ['stateDiagram-v2', ...arrows('[*]', table.start), ...lines].join('\n');
}

const targetOf = <Status extends string>(edge: Edge<Status>): Status => (typeof edge === 'string' ? edge : edge.to);
const causeOf = (edge: Edge<string>): Cause => (typeof edge === 'string' ? 'ordinary' : edge.only);
