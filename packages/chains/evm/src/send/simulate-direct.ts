// Simulates a transaction of direct payments. The batch contract names the outcome of each item; a payment in a call of
// its own is explained from the token's state.
import { ChainUnavailable, type ItemOutcome, type LaneItem, type SimulationResult } from '@svc-pay/core';
import type { Hex } from 'viem';
import { DIRECT_BATCH_ADDRESS } from '../direct/direct-batch-address.ts';
import { readDirectOutcomes } from '../direct/direct-batch-call.ts';
import { directQuestions, explainDirect } from '../direct/explain-direct.ts';
import { inItemOrder } from '../processor/group-items.ts';
import { type LaneCall, laneCall } from '../processor/lane-call.ts';
import { readRefusal, wholeRefusal } from '../processor/read-refusal.ts';
import { askChain, askLatestBlock, blockTimeOf } from '../rpc/ask-chain.ts';
import { askPlay, playOf, type Stage } from './play-call.ts';
import { type Fees, readFees } from './transaction-fees.ts';

export async function simulateDirect(
  stage: Stage,
  call: LaneCall,
  items: readonly LaneItem[],
): Promise<SimulationResult> {
  if (call.form === 'direct_single') {
    const fees = items.some(({ byContract }) => byContract) ? await feesOf(stage) : undefined;
    return { ok: true, ...(await simulateAlone(stage, items, fees)) };
  }
  const [played, block] = await askChain(stage.rpc, [askPlay(stage, call), askLatestBlock]);
  const chainTimeSeconds = blockTimeOf(block);
  const result = playOf(played);
  if (result.ok) {
    // Without the contract at its address the payments go one by one.
    if (result.result === '0x') return { ok: false, cause: 'refused', reason: NO_CONTRACT, chainTimeSeconds };
    return { ok: true, outcomes: outcomesOf(items, result.result), chainTimeSeconds };
  }
  const refusal = readRefusal(result);
  // Payers whose accounts became contracts after signing burn the gas of the payments behind them.
  if (refusal.name === 'NotEnoughGas') {
    const alone = await simulateAlone(stage, items);
    if (alone.outcomes.some((outcome) => outcome !== 'settled')) return { ok: true, ...alone };
  }
  return { ...wholeRefusal(refusal), chainTimeSeconds };
}

const NO_CONTRACT = `there is no contract at ${DIRECT_BATCH_ADDRESS}`;

/** Contract code can detect a call without a gas price. A call with one requires that the relayer can pay for it. */
const feesOf = ({ rpc, feeBounds }: Stage): Promise<Fees> | undefined => feeBounds && readFees(rpc, feeBounds);

/** Each payment in a call of its own, all in one request. */
async function simulateAlone(
  stage: Stage,
  items: readonly LaneItem[],
  fees?: Fees,
): Promise<{ readonly outcomes: readonly ItemOutcome[]; readonly chainTimeSeconds: bigint }> {
  const asked = items.map((item) => [askPlay(stage, laneCall([item], stage.callGas), fees), ...directQuestions(item)]);
  const [block, ...answers] = await askChain(stage.rpc, [askLatestBlock, ...asked.flat()]);
  const chainTimeSeconds = blockTimeOf(block);
  let from = 0;
  const outcomes = items.map((item, index) => {
    const [played, ...state] = answers.slice(from, from + (asked[index]?.length ?? 0));
    from += 1 + state.length;
    return explainDirect({ item, chainTimeSeconds, played: playOf(played), state });
  });
  return { outcomes, chainTimeSeconds };
}

function outcomesOf(items: readonly LaneItem[], result: unknown): readonly ItemOutcome[] {
  let codes: readonly ItemOutcome[];
  try {
    codes = readDirectOutcomes(result as Hex);
  } catch (problem) {
    throw new ChainUnavailable('the answer is not that of the batch contract', { cause: problem });
  }
  if (codes.length !== items.length) throw new ChainUnavailable('the batch contract answered for other payments');
  return inItemOrder(items, codes);
}
