// A simulation by one node does not fail a payment: the other voters must see it fail too. Where one of them differs,
// the payment stays in the queue; where two differ, the payment is sent: at worst that costs gas.
import type { LaneItem, SimulationResult } from '@svc-pay/core';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { votesOf } from '../rpc/votes-of.ts';
import type { Stage } from './play-call.ts';
import { simulate } from './simulate-transaction.ts';

/** `blockSeconds`: expected seconds from the latest block to the next one; 0 by default. */
type TimedStage = Stage & { readonly blockSeconds?: bigint };

export async function simulateWithQuorum(
  stage: TimedStage,
  items: readonly LaneItem[],
  voters: () => Promise<readonly JsonRpc[]>,
  patienceMs: number,
): Promise<SimulationResult> {
  const simulation = await simulateWithVotes(stage, items, voters, patienceMs);
  return { ...simulation, blockSeconds: stage.blockSeconds ?? 0n };
}

async function simulateWithVotes(
  stage: TimedStage,
  items: readonly LaneItem[],
  voters: () => Promise<readonly JsonRpc[]>,
  patienceMs: number,
): Promise<SimulationResult> {
  const first = await simulate(stage, items);
  if (!mayEnd(first, items, stage.blockSeconds ?? 0n)) return first;
  const asked = await voters();
  if (asked.length < 2) return first;
  const votes = await votesOf(
    asked.map((rpc) => simulate({ ...stage, rpc }, items)),
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
  return { ...first, outcomes, chainTimeSeconds };
}

function mayEnd(simulation: SimulationResult, items: readonly LaneItem[], blockSeconds: bigint): boolean {
  const nextBlockSeconds = simulation.chainTimeSeconds + blockSeconds;
  if (items.some(({ validBeforeSeconds }) => validBeforeSeconds <= nextBlockSeconds)) return true;
  return simulation.ok && simulation.outcomes.some((outcome) => outcome !== 'settled');
}

const lesser = (one: bigint, other: bigint) => (one < other ? one : other);
