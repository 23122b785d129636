import type { NetworkId } from '@svc-pay/protocol';
import { ALL_NETWORKS } from './note-failures.ts';

/** A watcher of a chain or a sweep of the database, run repeatedly by the engine. */
export type PeriodicJob = {
  readonly name: string;
  readonly everyMs: number;
  /** May run twice for one interval: running it twice must change nothing. */
  readonly run: () => Promise<void>;
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
