// A rehearsal that would end a payment is not believed of one node alone: whoever else answers must see it fail too. Where
// one differs the payment stays where it is; where two do, it goes: at worst that costs gas.
import type { LaneItem, Rehearsal } from '@svc-pay/core';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { votesOf } from '../rpc/votes-of.ts';
import { rehearse, type Stage } from './rehearse.ts';

export async function rehearseSurely(
  stage: Stage,
  items: readonly LaneItem[],
  voters: () => Promise<readonly JsonRpc[]>,
  patienceMs: number,
): Promise<Rehearsal> {
  const first = await rehearse(stage, items);
  if (!mayEnd(first, items)) return first;
  const asked = await voters();
  if (asked.length < 2) return first;
  const votes = await votesOf(
    asked.map((rpc) => rehearse({ ...stage, rpc }, items)),
    patienceMs,
  );
  const chainTimeSeconds = [first, ...votes].map((vote) => vote.chainTimeSeconds).reduce(lesser);
  if (!first.ok) return { ...first, chainTimeSeconds };
  const outcomes = first.outcomes.map((outcome, index) => {
    if (outcome === 'settled') return outcome;
    const against = votes.filter((vote) => vote.ok && vote.outcomes[index] === 'settled').length;
    if (against === 0) return outcome;
    return against === 1 ? 'unsure' : 'settled';
  });
  return { ok: true, outcomes, chainTimeSeconds };
}

function mayEnd(rehearsal: Rehearsal, items: readonly LaneItem[]): boolean {
  if (items.some(({ validBeforeSeconds }) => validBeforeSeconds <= rehearsal.chainTimeSeconds)) return true;
  return rehearsal.ok && rehearsal.outcomes.some((outcome) => outcome !== 'settled');
}

const lesser = (one: bigint, other: bigint) => (one < other ? one : other);
