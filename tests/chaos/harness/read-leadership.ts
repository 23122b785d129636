// Reads from a Restate node's metrics what it leads.

export type Leadership = {
  /** True if the node leads the cluster's metadata. */
  readonly metadata: boolean;
  /** Number of partitions that the node leads. */
  readonly partitions: number;
};

const NOTHING: Leadership = { metadata: false, partitions: 0 };
const LEADER_ID = /^restate_metadata_server_replicated_leader_id\{.*\} (\d+)/m;
const PARTITIONS = /^restate_num_active_partition_leaders\{.*\} (\d+)/m;
const PEERS = /^restate_metadata_server_replicated_sent_messages_total\{.*peer="N(\d+)"/gm;

export async function readLeadership(metricsUrl: string): Promise<Leadership> {
  try {
    const text = await (await fetch(metricsUrl, { signal: AbortSignal.timeout(1_000) })).text();
    const leader = LEADER_ID.exec(text)?.[1] ?? '0';
    // The metrics do not name the node itself, but its peers: a leader that is not among the peers is the node itself.
    const peers = new Set([...text.matchAll(PEERS)].map(([, id]) => id));
    const partitions = Number.parseInt(PARTITIONS.exec(text)?.[1] ?? '0', 10);
    return { metadata: leader !== '0' && !peers.has(leader), partitions };
  } catch {
    return NOTHING;
  }
}
