// What a node of Restate leads, by its own metrics.

export type Leadership = {
  /** Whether it leads the metadata of the cluster. */
  readonly metadata: boolean;
  /** How many partitions it leads. */
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
    // A node does not say who it is, but it names whom it talks to: itself is never among them.
    const peers = new Set([...text.matchAll(PEERS)].map(([, id]) => id));
    const partitions = Number.parseInt(PARTITIONS.exec(text)?.[1] ?? '0', 10);
    return { metadata: leader !== '0' && !peers.has(leader), partitions };
  } catch {
    return NOTHING;
  }
}
