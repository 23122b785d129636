// Ends the restore of one network: forgets where it began once everything is in the books, and else says where the next one
// begins by itself.
import type { NetworkRestore } from './restore-report.ts';
import type { OpenRestore, RestoreStore } from './restore-store.ts';

type Store = Pick<RestoreStore, 'loadOpenRestore' | 'openRestore' | 'closeRestore'>;

/** `read`: the first block, and the named relayers, that this run has read. */
export async function endRestore(store: Store, report: NetworkRestore, read: OpenRestore): Promise<NetworkRestore> {
  const readAgainFrom = await leftOpen(store, report, read);
  return { ...report, readAgainFrom: readAgainFrom?.toString() ?? null };
}

async function leftOpen(store: Store, report: NetworkRestore, read: OpenRestore): Promise<bigint | undefined> {
  const { network, refused, notRebuilt, silentNonces, relayersUnknown } = report;
  // Nothing was read: what an earlier run has noted stays.
  if (relayersUnknown) return (await store.loadOpenRestore(network))?.fromBlock;
  const isWhole = refused.length + notRebuilt.length + silentNonces.length === 0;
  // Noted once more where something is open: a run beside this one may have closed it by what it knew.
  const noted = isWhole ? await store.closeRestore(network, read) : await store.openRestore(network, read);
  return noted?.fromBlock;
}
