// Plays a lane's transaction without sending it: the same call, the same sender, the same gas. An item's failure is told
// per item; what stops the transaction as a whole is nobody's fault.
import { ChainUnavailable, type ItemOutcome, type LaneItem, type Rehearsal } from '@svc-pay/core';
import { type Address, decodeFunctionResult, type Hex, numberToHex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { readItemCodes } from '../processor/batch-item.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { isRevert } from '../rpc/read-revert.ts';
import { askChain, askLatestBlock, blockTimeOf } from './ask-chain.ts';
import { explainRecovery } from './explain-recovery.ts';
import { explainSingle, singleQuestions } from './explain-single.ts';
import { groupItems } from './group-items.ts';
import { type LaneCall, laneCall } from './lane-call.ts';
import { readRefusal, wholeRefusal } from './read-refusal.ts';

export type Stage = { readonly rpc: JsonRpc; readonly relayer: Address; readonly callGas: bigint };

export async function rehearse(stage: Stage, items: readonly LaneItem[]): Promise<Rehearsal> {
  const call = laneCall(items, stage.callGas);
  if (call.form === 'single') return rehearseSingle(stage, call, items);
  if (call.form === 'recovery') {
    const [answer, latest] = await askChain(stage.rpc, [askPlay(stage, call), askLatestBlock]);
    return explainRecovery(playOf(answer), blockTimeOf(latest));
  }
  const [played, block] = await askChain(stage.rpc, [askPlay(stage, call), askLatestBlock]);
  const chainTimeSeconds = blockTimeOf(block);
  const result = playOf(played);
  if (result.ok) return { ok: true, outcomes: outcomesOf(items, result.result), chainTimeSeconds };
  const refusal = readRefusal(result);
  const burners = refusal.name === 'NotEnoughGas' && items.length > 1 ? await findBurners(stage, items) : undefined;
  if (burners !== undefined) return { ok: true, outcomes: burners, chainTimeSeconds };
  return { ...wholeRefusal(refusal), chainTimeSeconds };
}

/**
 * A payer whose account became a contract after it signed can burn all that a pull may take, and fail. Several of them
 * use up the gas of everyone behind; played each on its own, they are told from the sound ones.
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

async function rehearseSingle(stage: Stage, call: LaneCall, items: readonly LaneItem[]): Promise<Rehearsal> {
  const [item] = items;
  if (item === undefined) throw new RangeError('nothing to rehearse');
  const answers = await askChain(stage.rpc, [askPlay(stage, call), askLatestBlock, ...singleQuestions(item)]);
  const [played, block, ...state] = answers;
  const chainTimeSeconds = blockTimeOf(block);
  const verdict = explainSingle({ item, chainTimeSeconds, played: playOf(played), state, callGas: stage.callGas });
  if (verdict.ok) return { ok: true, outcomes: [verdict.outcome], chainTimeSeconds };
  return { ...verdict, chainTimeSeconds };
}

function askPlay({ relayer }: Stage, { to, data, gas }: LaneCall): RpcCall {
  return { method: 'eth_call', params: [{ from: relayer, to, data, gas: numberToHex(gas) }, 'latest'] };
}

function playOf(answer: RpcAnswer | undefined): RpcAnswer {
  if (answer === undefined) throw new ChainUnavailable('answers are missing');
  if (!answer.ok && !isRevert(answer)) throw new ChainUnavailable(`the node refused: ${answer.code}`);
  return answer;
}

/** The processor answers in the order of the groups. */
function outcomesOf(items: readonly LaneItem[], result: unknown): readonly ItemOutcome[] {
  const codes = readCodes(result);
  const positions = groupItems(items).flatMap((group) => group.positions);
  if (codes.length !== items.length) throw new ChainUnavailable('the processor answered for other payments');
  const outcomes: ItemOutcome[] = Array.from(codes);
  for (const [index, position] of positions.entries()) outcomes[position] = codes[index] ?? 'malformed';
  return outcomes;
}

function readCodes(result: unknown): readonly ItemOutcome[] {
  try {
    const data = result as Hex;
    return readItemCodes(decodeFunctionResult({ abi: paymentProcessorAbi, functionName: 'settleBatch', data }));
  } catch (problem) {
    // Nothing comes back where no processor stands, as on a node of another chain.
    throw new ChainUnavailable('the answer is not the processor’s', { cause: problem });
  }
}
