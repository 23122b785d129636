// Sends payments of proven wallets, several per round.
import { newId } from '@svc-pay/protocol/ids';
import { underCap, unminedAtomic } from './fit-under-cap.ts';
import { type LaneItem, transactionKey } from './lane.ts';
import { noteBroadcast, type RoundResult, type Sending, type SequencedLaneDeps } from './lane-deps.ts';
import type { BatchToStore, LaneLease } from './lane-store.ts';
import { mapConcurrent } from './map-concurrent.ts';
import { firstAttemptOf, type SendAttempt } from './send-attempt.ts';
import { affordable } from './send-singles.ts';
import { simulateSolo } from './simulate-solo.ts';

/** Sends each payment in its own transaction, all stored in one commit and broadcast in the order of their nonces. */
export async function sendProven(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  sending: Sending,
  items: readonly LaneItem[],
): Promise<RoundResult | 'ended' | 'aside'> {
  const { store, chain, clock, pace, log } = deps;
  const { state, pendingBatches, unmined } = sending;
  const tried = await mapConcurrent(items.length, items, (item) => simulateSolo(deps, lease, sending, item));
  if (tried.includes('taken_over')) return 'taken_over';
  const passed = tried.filter((one) => typeof one !== 'string');
  if (passed.length === 0) return tried.includes('ended') ? 'ended' : 'aside';
  // The payments of one token share the room under its hourly cap. What does not fit waits for a later round.
  const fitting = [...Map.groupBy(passed, ({ item }) => transactionKey(item)).values()].flatMap((group) => {
    const [first] = group;
    const taken = unminedAtomic(unmined, first?.item);
    return underCap(
      group.map(({ item }) => item),
      first?.capRoomAtomic,
      taken,
    ).fits;
  });
  const signed = await mapConcurrent(fitting.length, fitting, async (item, index): Promise<BatchToStore> => {
    const nonce = state.nextNonce + BigInt(index);
    return { id: newId('batch', clock.nowMs()), nonce, signed: await chain.sign([item], nonce), items: [item] };
  });
  const batches = await affordable(deps, pendingBatches, signed);
  if (batches.length === 0) {
    if (pendingBatches.length === 0) await store.noteUnfit(lease, 'empty');
    return pendingBatches.length > 0 ? 'waiting' : 'blocked';
  }
  // Not stored: another process has the lease or took one of these payments. Nothing was sent; run the next round.
  if (!(await store.storeBatches(lease, batches))) return 'moved';
  const attempts: SendAttempt[] = [];
  for (const batch of batches) {
    const broadcast = await chain.broadcast(batch.signed.raw);
    const { transactionId } = batch.signed;
    noteBroadcast(log, batch.id, transactionId, broadcast);
    const taken = broadcast.outcome !== 'not_sent';
    attempts.push(firstAttemptOf({ ...batch, transactions: [batch.signed] }, transactionId, taken, pace));
    // No node takes a transaction behind one that it does not have. The next rounds offer them again.
    if (!taken) break;
  }
  await store.recordAttempts(lease, attempts);
  return attempts.filter(({ taken }) => taken).length === batches.length ? 'moved' : 'blocked';
}
