// Explains why a transaction with one payment reverted, by the state at its own block. A node that no longer has that
// state answers by its latest block: a used authorization stays used.
import { ChainUnavailable, isDirect, type LaneItem, type RevertOutcome } from '@svc-pay/core';
import { numberToHex } from 'viem';
import { directQuestions } from '../direct/explain-direct.ts';
import { singleQuestions } from '../processor/explain-single.ts';
import { DEFAULT_CALL_GAS } from '../processor/gas-limit.ts';
import { laneCall } from '../processor/lane-call.ts';
import { readRefusal, wholeRefusal } from '../processor/read-refusal.ts';
import { askChain, quantityOf } from '../rpc/ask-chain.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import type { Receipt } from '../rpc/read-receipt.ts';
import { isRevert } from '../rpc/read-revert.ts';

export type RevertedSingle = { readonly item: LaneItem; readonly receipt: Receipt };
export type SingleOutcome = Exclude<RevertOutcome, 'reverted'> | 'authorization_used' | 'intent_already_settled';

/** Outcomes in the order given. One request to one node carries all calls. */
export async function explainReverts(rpc: JsonRpc, all: readonly RevertedSingle[]): Promise<readonly SingleOutcome[]> {
  if (all.length === 0) return [];
  const asked = all.map((one) => questionsOf(one));
  const answers = await askChain(rpc, asked.flat());
  let from = 0;
  return all.map(({ item }, index) => {
    const own = answers.slice(from, from + (asked[index]?.length ?? 0));
    from += own.length;
    return explain(item, own);
  });
}

/**
 * Simulates the call again and asks whether the authorization is used, and the intent settled: at the receipt's block,
 * then at the latest one.
 */
function questionsOf({ item, receipt }: RevertedSingle): readonly RpcCall[] {
  const { to, data, gas } = laneCall([item], DEFAULT_CALL_GAS);
  const play: RpcCall = {
    method: 'eth_call',
    params: [{ from: receipt.from, to, data, gas: numberToHex(gas) }, 'latest'],
  };
  const calls = [play, ...stateQuestions(item)];
  const block = numberToHex(receipt.blockNumber);
  return [...calls.map(({ method, params }) => ({ method, params: [params[0], block] })), ...calls];
}

/** Whether the authorization is used; of a processor's payment also whether its intent is settled. */
function stateQuestions(item: LaneItem): readonly RpcCall[] {
  if (isDirect(item)) return directQuestions(item).slice(0, 1);
  const [settled, use] = singleQuestions(item);
  return [use, settled].filter((question) => question !== undefined);
}

function explain(item: LaneItem, answers: readonly RpcAnswer[]): SingleOutcome {
  const atBlock = answers.length / 2;
  const told = (index: number) =>
    [answers[index], answers[index + atBlock]].find((answer) => answer?.ok === true || (answer && isRevert(answer)));
  const played = told(0);
  const use = wordIn(told(1));
  // No processor takes part in a direct payment, so none says that its intent is settled.
  const settled = isDirect(item) ? 0n : wordIn(told(2));
  if (played === undefined || settled === undefined || use === undefined) {
    throw new ChainUnavailable('no node tells why a transaction reverted');
  }
  if (settled === 1n) return 'intent_already_settled';
  if (item.kind === 'permit' ? use > BigInt(item.nonce) : use === 1n) return 'authorization_used';
  if (played.ok || isDirect(item)) return 'reverted_alone';
  const { cause } = wholeRefusal(readRefusal(played));
  return cause === 'paused' || cause === 'over_cap' || cause === 'not_allowed' ? 'refused_for_now' : 'reverted_alone';
}

function wordIn(answer: RpcAnswer | undefined): bigint | undefined {
  return answer?.ok === true ? quantityOf(answer.result) : undefined;
}
