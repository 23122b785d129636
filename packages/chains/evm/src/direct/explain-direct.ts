// Explains why a direct payment in a call of its own would not settle, from the token's state and in the order in which a
// batch reports it. Nothing but the payment can be at fault: the call goes to the token itself.
import type { ItemOutcome, LaneItem } from '@svc-pay/core';
import type { Hex } from 'viem';
import { quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { askBalance, askUsed } from '../verify/chain-questions.ts';

export type DirectPlay = {
  readonly item: LaneItem;
  readonly chainTimeSeconds: bigint;
  readonly played: RpcAnswer;
  /** Answers to `directQuestions`. */
  readonly state: readonly RpcAnswer[];
};

/** Asks whether the authorization is used, and for the payer's balance. */
export function directQuestions({ asset, payer, nonce }: LaneItem): readonly RpcCall[] {
  return [askUsed(asset, payer as Hex, nonce as Hex), askBalance(asset, payer as Hex)];
}

export function explainDirect({ item, chainTimeSeconds, played, state }: DirectPlay): ItemOutcome {
  const [use, balance] = state;
  // Read also where the call passes: it shows that the token is there, and some tokens do not revert for a used nonce.
  if (quantityOf(resultOf(use)) === 1n) return 'authorization_used';
  if (played.ok) return 'settled';
  if (chainTimeSeconds <= item.validAfterSeconds) return 'not_yet_valid';
  if (chainTimeSeconds >= item.validBeforeSeconds) return 'expired';
  return quantityOf(resultOf(balance)) < item.capAtomic ? 'insufficient_funds' : 'pull_refused';
}
