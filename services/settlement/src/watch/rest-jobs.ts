// Which of settlement's jobs rest while they have nothing to do, and for how long. Jobs that are not named here never rest: those
// whose work no look at the database tells, as the chain reader: anybody may pay for an intent that ended, and a new payout is
// offered once its token has a cursor.
import {
  isOpenFor,
  type JobRest,
  type Lookout,
  type OpenWork,
  type PeriodicJob,
  type RestingWatcher,
  watcherOf,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';

/** A job that may know more than the look: false while it must not rest. */
export type RestableJob = PeriodicJob & { readonly mayRest?: () => boolean };

/** Of all networks together, by the name of the job. */
const OPEN_FOR_ALL: Readonly<Record<string, (work: OpenWork) => boolean>> = {
  reconciler: ({ networks }) => [...networks.values()].some(({ lanes }) => lanes),
  'intent-expiry': ({ overdueIntent }) => overdueIntent,
  'audit-sealer': ({ unsealedAudit }) => unsealedAudit,
};

/** They delete what ended a day ago or longer, and rest by what they found: no look tells of it. */
const DELETIONS: ReadonlySet<string> = new Set(['answer-expiry', 'lease-expiry', 'refused-expiry', 'unpaid-removal']);

const LONG_MS = Number.POSITIVE_INFINITY;
/** How long each may rest at most, whatever the setting allows. */
const MOST_MS: Readonly<Record<RestingWatcher, number>> = {
  // Time on the chain, which ends them, may be ahead of what a look expects.
  authorizations: 15_000,
  comparison: LONG_MS,
  direct: LONG_MS,
  finality: LONG_MS,
  // Its limits shrink with time.
  'gas-budget': 60_000,
  // The API offers a network by the last check, and an alert tells of one that is 30 seconds old.
  health: 20_000,
  held: LONG_MS,
  // The operator's page calls readings old after a minute.
  nodes: 40_000,
  refunds: LONG_MS,
};
const isResting = (watcher: string): watcher is RestingWatcher => Object.hasOwn(MOST_MS, watcher);

export function restJob(job: RestableJob, lookout: Lookout<OpenWork>, restMs: number): PeriodicJob {
  const { watcher, network } = watcherOf(job.name);
  const isOpen = OPEN_FOR_ALL[job.name];
  if (isOpen !== undefined) return { ...job, rest: lookout.rest(restMs, isOpen) };
  if (DELETIONS.has(job.name))
    return {
      ...job,
      rest: unlessKept(
        lookout.rest(restMs, () => false),
        job,
      ),
    };
  if (!isResting(watcher)) return job;
  const rest = lookout.rest(Math.min(restMs, MOST_MS[watcher]), (work) =>
    isOpenFor(watcher, network as NetworkId, work),
  );
  return { ...job, rest: unlessKept(rest, job) };
}

function unlessKept(rest: JobRest, { mayRest = () => true }: RestableJob): JobRest {
  return { ...rest, mayBegin: async () => mayRest() && (await rest.mayBegin()) };
}
