// Batches in flight whose nonce is used up in a final block, by none of their own transactions: they can't come any more.
// What they carried goes again; before that, a transaction that comes back would settle it twice in our books.
import { findMined, readNonces } from '@svc-pay/evm';
import { loadFlyingNonces, loadRecordedBatch, releaseBatch } from '@svc-pay/postgres/lanes';
import type { OpenNetwork } from '../open-networks.ts';
import type { WatchParts } from './watch-parts.ts';

const AT_ONCE = 200;

export async function releaseReplaced(
  { network, rpc }: OpenNetwork,
  { pool, clock, log }: WatchParts,
  finalizedNumber: bigint,
): Promise<void> {
  const flying = await loadFlyingNonces(pool, network, AT_ONCE);
  if (flying.length === 0) return;
  const relayers = [...new Set(flying.map(({ relayer }) => relayer))];
  const nonces = await readNonces(rpc, relayers, finalizedNumber);
  const nextNonce = new Map(relayers.map((relayer, index) => [relayer, nonces[index] ?? 0n]));
  for (const { id, relayer, nonce } of flying) {
    if (nonce >= (nextNonce.get(relayer) ?? 0n)) continue;
    const batch = await loadRecordedBatch(pool, id, ['broadcast']);
    if (batch === undefined || (await findMined(rpc, [batch])).length > 0) continue;
    if (await releaseBatch(pool, id, clock.nowMs()))
      log('error', { network, batchId: id, relayer, nonce: nonce.toString() }, 'its nonce was used by something else');
  }
}
