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

/** Watchers of one network that rest, by the first part of their job's name, and what is open when they have work. */
const WORK_OF = {
  authorizations: 'authorizations',
  comparison: 'uncomparedBatch',
  direct: 'direct',
  finality: 'unfinishedBatch',
  'gas-budget': 'lanes',
  health: 'lanes',
  held: 'held',
  nodes: 'lanes',
  refunds: 'refunds',
} as const satisfies Readonly<Record<string, keyof NetworkWork>>;

export type RestingWatcher = keyof typeof WORK_OF;

/** A network that the look does not know is open. */
export function isOpenFor(watcher: RestingWatcher, network: NetworkId, work: OpenWork): boolean {
  return work.networks.get(network)?.[WORK_OF[watcher]] ?? true;
}
