// Looks after mined batches until their block is final. Then an item that did not settle is called failed, or goes again,
// and not before.
import { type FlyingBatch, type UnsettledOutcome } from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';
import { findMined, readFinality, readInclusions } from '@svc-pay/evm';
import { type AgeingBatch, loadAgeingBatches, outcomesOf, recordFinal } from '@svc-pay/postgres/lanes';
import type { OpenNetwork } from '../open-networks.ts';
import { pulseName } from './pulse-name.ts';
import type { WatchParts } from './watch-parts.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 50;

export function createFinalityWatch({ network, rpc }: OpenNetwork, { pool, clock, log }: WatchParts): Pulse {
  const outcomesNow = async (batch: AgeingBatch): Promise<readonly UnsettledOutcome[]> => {
    if (batch.openItems.length === 0) return [];
    const [mined] = await findMined(rpc, [asFlying(batch)]);
    if (mined === undefined) throw new Error(`batch ${batch.id} is final and not found`);
    return outcomesOf(batch, mined);
  };
  return {
    name: pulseName('finality', network),
    everyMs: EVERY_MS,
    beat: async () => {
      const { finalizedNumber } = await readFinality(rpc);
      const batches = await loadAgeingBatches(pool, network, finalizedNumber, AT_ONCE);
      const inclusions = await readInclusions(
        rpc,
        batches.map(({ transactionId }) => transactionId),
      );
      for (const [index, batch] of batches.entries()) {
        const { id, transactionId } = batch;
        if (inclusions[index]?.blockHash !== batch.blockHash) {
          log('error', { network, batchId: id, transactionId }, 'a recorded transaction is no longer where it was');
          continue;
        }
        await recordFinal(pool, batch, await outcomesNow(batch), clock.nowMs());
      }
    },
  };
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
