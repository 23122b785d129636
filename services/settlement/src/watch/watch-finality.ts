// Looks after mined batches until their block is final. A block that is gone is followed: the batch is recorded where it is
// now, or taken back and put into flight again. Only in a final block is an item that did not settle called failed.
import {
  type AgeingBatch,
  type BatchPlace,
  type FlyingBatch,
  hasSameOutcome,
  isConfirmedBatch,
  outcomesOf,
  type UnsettledOutcome,
} from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';
import { findMined, readFinality, readPlaces } from '@svc-pay/evm';
import type { OpenNetwork } from '../open-networks.ts';
import { pulseName } from './pulse-name.ts';
import type { WatchParts } from './watch-parts.ts';

const EVERY_MS = 1_000;
const AT_ONCE = 50;
/** Of those that are not final the newest are looked at every time: a reorganisation begins at the newest block. */
const NEWEST = 200;

type Watched = Pick<OpenNetwork, 'network' | 'rpc' | 'gasCoin'>;
type Parts = Pick<WatchParts, 'finality' | 'clock' | 'log' | 'metrics'>;

export function createFinalityWatch(open: Watched, parts: Parts): Pulse {
  const { network, rpc } = open;
  const { finality, clock } = parts;
  /** Undefined when whoever is asked now sees it elsewhere. */
  const outcomesNow = async (batch: AgeingBatch): Promise<readonly UnsettledOutcome[] | undefined> => {
    if (batch.openItems.length === 0) return [];
    const [mined] = await findMined(rpc, [asFlying(batch)]);
    if (mined === undefined) throw new Error(`batch ${batch.id} is final and not found`);
    return mined.blockHash === batch.blockHash ? outcomesOf(batch, mined) : undefined;
  };
  return {
    name: pulseName('finality', network),
    everyMs: EVERY_MS,
    beat: async () => {
      const { finalizedNumber } = await readFinality(rpc);
      const ageing = await finality.loadAgeingBatches(network, finalizedNumber, AT_ONCE);
      const young = await finality.loadBatchPlaces(network, finalizedNumber, NEWEST);
      const { hashes, ...seen } = await readPlaces(
        rpc,
        [...ageing, ...young].map(({ blockNumber }) => blockNumber),
      );
      // A node that has no such block is behind, or its chain is short for a moment: nothing is known yet.
      const isGone = ({ blockNumber, blockHash }: BatchPlace) => (hashes.get(blockNumber) ?? blockHash) !== blockHash;
      // Youngest last, so that payments are taken back and sent again in the order of their nonces.
      for (const batch of [...ageing, ...young.toReversed()]) if (isGone(batch)) await follow(open, parts, batch);
      for (const batch of ageing) {
        // Final by the word of the very node that has the block.
        if (batch.blockNumber > seen.finalizedNumber || hashes.get(batch.blockNumber) !== batch.blockHash) continue;
        const outcomes = await outcomesNow(batch);
        if (outcomes !== undefined) await finality.recordFinal(batch, outcomes, clock.nowMs());
      }
    },
  };
}

async function follow(
  { network, rpc, gasCoin }: Watched,
  { finality, clock, log, metrics }: Parts,
  place: BatchPlace,
): Promise<void> {
  const batch = await finality.loadRecordedBatch(place.id);
  if (batch === undefined) return;
  const details = { network, batchId: batch.id, transactionId: batch.transactionId, payments: batch.settledIds.size };
  const [mined] = await findMined(rpc, [batch]);
  // Two answers that do not fit together: the nodes are not of one mind yet.
  if (mined?.blockHash === place.blockHash) return;
  const nowMs = clock.nowMs();
  if (mined !== undefined && hasSameOutcome(batch, mined) && isConfirmedBatch(mined, batch.items)) {
    if (await finality.moveBatch(batch, place.blockHash, mined, { nowMs, gasCoin })) {
      metrics.batchMoved(network);
      log('warn', { ...details, blockNumber: mined.blockNumber.toString() }, 'a reorganisation moved a batch');
    }
    return;
  }
  if (await finality.takeBackBatch(batch.id, place.blockHash, nowMs)) {
    metrics.batchTakenBack(network);
    log('error', details, 'a reorganisation took a batch back; it is sent again');
  }
}

/** Its open items alone: the others have their end. */
function asFlying({ id, transactionId, openItems }: AgeingBatch): FlyingBatch {
  return {
    id,
    nonce: 0n,
    status: 'broadcast',
    sentAtMs: 0,
    transactions: [{ transactionId, raw: new Uint8Array() }],
    items: openItems,
  };
}
