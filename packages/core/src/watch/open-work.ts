// What settlement's watchers have to do, as one look at the database tells it. Each condition holds at least whenever the watcher
// would find something: a watcher that runs for nothing costs little, one that rests beside its work is late.
import type { NetworkId } from '@svc-pay/protocol';

/** What is open on one network. */
export type NetworkWork = {
  /** Payments, refunds or stranded transfers wait for a lane, or a lane has a transaction that is not final. */
  readonly lanes: boolean;
  /** A batch waits to be mined or to be final. */
  readonly unfinishedBatch: boolean;
  readonly held: boolean;
  /** An authorization was not settled and can still move money, or expires within a few minutes, or has expired. */
  readonly authorizations: boolean;
  readonly direct: boolean;
  readonly refunds: boolean;
  readonly uncomparedBatch: boolean;
};

export type OpenWork = {
  readonly overdueIntent: boolean;
  readonly unsealedAudit: boolean;
  readonly networks: ReadonlyMap<NetworkId, NetworkWork>;
};

export type OpenWorkStore = {
  readonly loadOpenWork: (networks: readonly NetworkId[], nowMs: number) => Promise<OpenWork>;
};

/** Watchers of one network that rest, by the first part of their job's name. */
export type RestingWatcher =
  | 'authorizations'
  | 'comparison'
  | 'direct'
  | 'finality'
  | 'gas-budget'
  | 'health'
  | 'held'
  | 'refunds';

/** A network that the look does not know is open. */
export function isOpenFor(watcher: RestingWatcher, network: NetworkId, work: OpenWork): boolean {
  const open = work.networks.get(network);
  if (open === undefined) return true;
  switch (watcher) {
    case 'authorizations':
      return open.authorizations;
    case 'comparison':
      return open.uncomparedBatch;
    case 'direct':
      return open.direct;
    case 'finality':
      return open.unfinishedBatch;
    case 'gas-budget':
    case 'health':
      return open.lanes;
    case 'held':
      return open.held;
    case 'refunds':
      return open.refunds;
  }
}
