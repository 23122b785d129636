// Three Restate nodes, started with the file that operators copy; only addresses and sizes differ.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, type RestateServer, startRestate } from '@svc-pay/engine/server';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import type { BlobStore } from './blob-store.ts';
import { type Leadership, readLeadership } from './read-leadership.ts';
import { waitUntil } from './wait-until.ts';

export type ClusterNode = {
  readonly name: string;
  readonly adminUrl: string;
  readonly ingressUrl: string;
  /** Leadership by the node's own metrics; nothing if it does not answer. */
  readonly leadership: () => Promise<Leadership>;
  /** Kills the node with SIGKILL. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
};

export type MortalCluster = { readonly nodes: readonly ClusterNode[]; readonly stop: () => Promise<void> };

const CONFIG_FILE = path.resolve(import.meta.dirname, '../../../deploy/restate/cluster.toml');
const NODES = 3;
const START_MS = 30_000;
/** Small, so that a run of minutes takes some snapshots. */
const SNAPSHOT_RECORDS = '200';

export async function startMortalCluster(directory: string, blobs?: BlobStore): Promise<MortalCluster> {
  const ports = await Promise.all(Array.from({ length: NODES }, freePorts));
  const addresses = JSON.stringify(ports.map(({ node }) => `http://127.0.0.1:${node}/`));
  const nodes = ports.map((own, index): ClusterNode => {
    const name = `restate-${index + 1}`;
    let server: RestateServer | undefined;
    return {
      name,
      adminUrl: `http://127.0.0.1:${own.admin}`,
      ingressUrl: `http://127.0.0.1:${own.ingress}`,
      leadership: () => readLeadership(`http://127.0.0.1:${own.node}/metrics`),
      kill: async () => server?.stop('SIGKILL'),
      start: async () => {
        server = await startRestate({
          dataDirectory: path.join(directory, name),
          ports: own,
          guard: killOnParentExit,
          node: {
            name,
            configFile: CONFIG_FILE,
            logFile: path.join(directory, `${name}.log`),
            environment: {
              RESTATE_AUTO_PROVISION: String(index === 0),
              RESTATE_METADATA_CLIENT__ADDRESSES: addresses,
              ...(blobs && {
                ...blobs.environment,
                RESTATE_WORKER__SNAPSHOTS__SNAPSHOT_INTERVAL_NUM_RECORDS: SNAPSHOT_RECORDS,
              }),
            },
          },
        });
      },
    };
  });
  const stop = async () => {
    await Promise.all(nodes.map(({ kill }) => kill()));
  };
  try {
    await Promise.all(nodes.map(({ start }) => start()));
    if (!(await waitUntil(() => isLed(nodes), START_MS))) throw new Error('the cluster has no leaders');
  } catch (problem) {
    await stop();
    throw problem;
  }
  return { nodes, stop };
}

/** True if exactly one node leads the metadata and the number of led partitions is above zero and stable. */
async function isLed(nodes: readonly ClusterNode[]): Promise<boolean> {
  const count = async () => {
    const all = await Promise.all(nodes.map(({ leadership }) => leadership()));
    return all.filter(({ metadata }) => metadata).length === 1
      ? all.reduce((sum, { partitions }) => sum + partitions, 0)
      : 0;
  };
  const before = await count();
  await sleep(500);
  return before > 0 && (await count()) === before;
}
