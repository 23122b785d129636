// Payments that the rehearsal sorted out: they were never sent, so nothing of ours can move them any more.
import { type HeldLane, judgeItem, type LaneItem, type UnsentItem } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type FailedPart, failPayments } from './end-payments.ts';
import { requireHeld, unlessTakenOver } from './hold-lane.ts';
import { moveSettlements } from './move-settlements.ts';
import { writeEnds } from './write-ends.ts';

export async function recordUnsent(
  pool: pg.Pool,
  held: HeldLane,
  unsent: readonly UnsentItem[],
  nowMs: number,
): Promise<boolean> {
  const failed: FailedPart[] = [];
  const kept: LaneItem[] = [];
  for (const { item, outcome } of unsent) {
    const judgement = judgeItem(outcome);
    if (judgement.end === 'failed') failed.push({ item, code: judgement.code });
    else if (judgement.end === 'held') kept.push(item);
  }
  return unlessTakenOver(pool, async (client) => {
    await requireHeld(client, held);
    const cause = { requestId: newId('batch', nowMs), nowMs };
    await writeEnds(client, await failPayments(client, failed, null, cause), 'queued', nowMs);
    await moveSettlements(client, kept, { from: ['queued'], to: 'held' }, nowMs);
  });
}
