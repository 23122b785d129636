import type { NetworkId } from '@svc-pay/protocol';
import { ALL_NETWORKS } from './note-failures.ts';

/** A watcher of a chain or a sweep of the database, run repeatedly by the engine. */
export type PeriodicJob = {
  readonly name: string;
  readonly everyMs: number;
  /** May run twice for one interval: running it twice must change nothing. */
  readonly run: () => Promise<void>;
  /** How the job rests while it has nothing to do. Without it the job never rests. */
  readonly rest?: JobRest;
};

export type JobRest = {
  /** About the longest time between two runs of a job that rests. The engine keeps it, whatever happens to this process. */
  readonly everyMs: number;
  /** Whether the job has nothing to do now. */
  readonly mayBegin: () => Promise<boolean>;
  /** The job rests from here on: `wake` is called once there may be something to do. */
  readonly begin: (wake: () => Promise<void>) => void;
  /** The job runs again. */
  readonly end: () => void;
};

/** Engine service names allow letters, digits, dots, dashes and underscores. */
export function jobName(what: string, network: NetworkId): string {
  return `${what}.${network.replace(':', '.')}`;
}

/** The watcher and the network in a periodic job's name. */
export function watcherOf(name: string): { readonly watcher: string; readonly network: string } {
  const [watcher = name, ...network] = name.split('.');
  return { watcher, network: network.length === 0 ? ALL_NETWORKS : network.join('.').replace('.', ':') };
}
