// Looks after recorded transactions until they are final. One that is in another slot now is recorded there; one that can
// never land any more is taken back. Only when it is final is a payment that did not settle called failed.
import {
  type AgeingBatch,
  atOnce,
  type FlyingBatch,
  hasSameOutcome,
  isConfirmedBatch,
  type MinedBatch,
  outcomesOf,
  type RecordedBatch,
} from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';
import { FINALIZED_CONFIRMATIONS, finalizedSlot, findExpired, findMined } from '@svc-pay/solana';
import { pulseName } from '../watch/pulse-name.ts';
import type { WatchParts } from '../watch/watch-parts.ts';
import type { OpenSolana } from './open-solana.ts';

const EVERY_MS = 1_000;
/** As many as one question for their statuses holds. */
const AT_ONCE = 256;
const LOADED_AT_ONCE = 4;

export type FinalityParts = Pick<WatchParts, 'finality' | 'clock' | 'log' | 'metrics'>;

export function createSolanaFinality(open: OpenSolana, parts: FinalityParts): Pulse {
  const { network, nodes } = open;
  return {
    name: pulseName('finality', network),
    everyMs: EVERY_MS,
    beat: async () => {
      const slot = await finalizedSlot(nodes);
      const ageing = await parts.finality.loadAgeingBatches(network, slot, AT_ONCE);
      const batches = await atOnce(LOADED_AT_ONCE, ageing, ({ id }) => parts.finality.loadRecordedBatch(id));
      const recorded = batches.filter((batch) => batch !== undefined);
      const minedOf = new Map((await findMined(nodes, recorded)).map((mined) => [mined.batchId, mined]));
      for (const [index, one] of ageing.entries()) {
        const batch = batches[index];
        if (batch !== undefined) await look(open, parts, { ageing: one, batch, mined: minedOf.get(one.id) });
      }
    },
  };
}

type Looked = {
  readonly ageing: AgeingBatch;
  readonly batch: RecordedBatch;
  /** Undefined when nobody knows it. */
  readonly mined: MinedBatch | undefined;
};

async function look(open: OpenSolana, parts: FinalityParts, { ageing, batch, mined }: Looked): Promise<void> {
  const { finality, clock } = parts;
  if (mined === undefined) {
    // Nobody knows it. Were it only forgotten for a moment, it must not be called gone.
    if ((await findExpired(open.nodes, [batch])).length > 0) await takeBack(open, parts, batch, ageing.blockHash);
    return;
  }
  const nowMs = clock.nowMs();
  if (!hasSameOutcome(batch, mined)) return takeBack(open, parts, batch, ageing.blockHash);
  if (mined.blockHash !== ageing.blockHash) {
    if (!isConfirmedBatch(mined, batch.items)) return;
    if (await finality.moveBatch(batch, ageing.blockHash, mined, { nowMs, gasCoin: open.gasCoin })) {
      parts.metrics.batchMoved(open.network);
      parts.log(
        'warn',
        { ...detailsOf(open, batch), slot: mined.blockNumber.toString() },
        'a fork moved a transaction',
      );
    }
    return;
  }
  if (mined.confirmations < BigInt(FINALIZED_CONFIRMATIONS)) return;
  await finality.recordFinal(ageing, ageing.openItems.length === 0 ? [] : outcomesOf(ageing, mined), nowMs);
}

async function takeBack(
  open: OpenSolana,
  { finality, clock, log, metrics }: FinalityParts,
  batch: RecordedBatch,
  blockHash: string,
): Promise<void> {
  if (!(await finality.takeBackBatch(batch.id, blockHash, clock.nowMs()))) return;
  metrics.batchTakenBack(open.network);
  log('error', detailsOf(open, batch), 'a fork took a transaction back; its lane looks after it again');
}

const detailsOf = ({ network }: OpenSolana, { id, transactions }: FlyingBatch) => ({
  network,
  batchId: id,
  transactionId: transactions.at(-1)?.transactionId,
});
