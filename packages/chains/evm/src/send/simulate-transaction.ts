// Simulates a lane's transaction: the same call, sender and gas. Failures of items are reported per item; a refusal of
// the whole transaction is blamed on no payment.
import { ChainUnavailable, type ItemOutcome, type LaneItem, type SimulationResult } from '@svc-pay/core';
import { decodeFunctionResult, type Hex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { readItemCodes } from '../processor/batch-item.ts';
import { explainSingle, singleQuestions } from '../processor/explain-single.ts';
import { inItemOrder } from '../processor/group-items.ts';
import { type LaneCall, laneCall } from '../processor/lane-call.ts';
import { readRefusal, wholeRefusal } from '../processor/read-refusal.ts';
import { askChain, askLatestBlock, blockTimeOf } from '../rpc/ask-chain.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { askCapRoom, capRoomOf } from './cap-room.ts';
import { explainStrandedRefusal } from './explain-stranded-transfer.ts';
import { askPlay, playOf, type Stage } from './play-call.ts';
import { simulateDirect } from './simulate-direct.ts';
import { readFees } from './transaction-fees.ts';

export async function simulate(stage: Stage, items: readonly LaneItem[]): Promise<SimulationResult> {
  const call = laneCall(items, stage.callGas);
  if (call.form === 'direct_batch' || call.form === 'direct_single') return simulateDirect(stage, call, items);
  if (call.form === 'single') return simulateSingle(stage, call, items);
  if (call.form === 'stranded') {
    const [answer, latest] = await askChain(stage.rpc, [askPlay(stage, call), askLatestBlock]);
    return explainStrandedRefusal(playOf(answer), blockTimeOf(latest));
  }
  const [played, block, config, spent] = await askChain(stage.rpc, [
    askPlay(stage, call),
    askLatestBlock,
    ...askHeadroom(stage, items),
  ]);
  const chainTimeSeconds = blockTimeOf(block);
  const capRoomAtomic = capRoomOf(config, spent);
  const result = playOf(played);
  if (result.ok) return { ok: true, outcomes: outcomesOf(items, result.result), chainTimeSeconds, capRoomAtomic };
  const refusal = readRefusal(result);
  const burners = refusal.name === 'NotEnoughGas' && items.length > 1 ? await findBurners(stage, items) : undefined;
  if (burners !== undefined) return { ok: true, outcomes: burners, chainTimeSeconds, capRoomAtomic };
  return { ...wholeRefusal(refusal), chainTimeSeconds, capRoomAtomic };
}

const askHeadroom = ({ relayer }: Stage, [head]: readonly LaneItem[]): readonly RpcCall[] =>
  head === undefined ? [] : askCapRoom(relayer, head);

/**
 * A payer whose account became a contract after signing can burn all gas of its transfer and fail. Several of them use
 * up the gas of the payments behind them; simulating every payment in its own call finds them.
 */
async function findBurners(stage: Stage, items: readonly LaneItem[]): Promise<readonly ItemOutcome[] | undefined> {
  const calls = items.map((item) => askPlay(stage, laneCall([item], stage.callGas)));
  const plays = (await askChain(stage.rpc, calls)).map(playOf);
  const outcomes = plays.flatMap((play, index) =>
    play.ok ? outcomesOf(items.slice(index, index + 1), play.result) : [],
  );
  const told = outcomes.length === items.length && outcomes.some((outcome) => outcome !== 'settled');
  return told ? outcomes : undefined;
}

async function simulateSingle(stage: Stage, call: LaneCall, items: readonly LaneItem[]): Promise<SimulationResult> {
  const [item] = items;
  if (item === undefined) throw new RangeError('a simulation needs at least one payment');
  // Contract code can detect a call without a gas price. A call with one requires that the relayer can pay for it.
  const fees = stage.feeBounds && (await readFees(stage.rpc, stage.feeBounds));
  const [played, block, config, spent, ...state] = await askChain(stage.rpc, [
    askPlay(stage, call, fees),
    askLatestBlock,
    ...askCapRoom(stage.relayer, item),
    ...singleQuestions(item),
  ]);
  const chainTimeSeconds = blockTimeOf(block);
  const capRoomAtomic = capRoomOf(config, spent);
  const verdict = explainSingle({ item, chainTimeSeconds, played: playOf(played), state, callGas: stage.callGas });
  if (verdict.ok) return { ok: true, outcomes: [verdict.outcome], chainTimeSeconds, capRoomAtomic };
  return { ...verdict, chainTimeSeconds, capRoomAtomic };
}

function outcomesOf(items: readonly LaneItem[], result: unknown): readonly ItemOutcome[] {
  const codes = readCodes(result);
  if (codes.length !== items.length) throw new ChainUnavailable('the processor answered for other payments');
  return inItemOrder(items, codes);
}

function readCodes(result: unknown): readonly ItemOutcome[] {
  try {
    const data = result as Hex;
    return readItemCodes(decodeFunctionResult({ abi: paymentProcessorAbi, functionName: 'settleBatch', data }));
  } catch (problem) {
    // The result is empty when there is no processor at the address, as on a node of another chain.
    throw new ChainUnavailable('the answer is not the processor’s', { cause: problem });
  }
}
