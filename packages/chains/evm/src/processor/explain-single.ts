// Explains why a payment in a single call would not settle. The processor names its own refusals; a refusal of the
// token is explained from the token's state, in the order in which a batch reports it.
import type { ItemOutcome, LaneItem, WholeRefusal } from '@svc-pay/core';
import { encodeFunctionData, type Hex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { askBalance, askPermitNonce, askUsed } from '../verify/chain-questions.ts';
import { type ProcessorRefusal, readRefusal, wholeRefusal } from './read-refusal.ts';

export type SinglePlay = {
  readonly item: LaneItem;
  readonly chainTimeSeconds: bigint;
  readonly played: RpcAnswer;
  /** Answers to `singleQuestions`. */
  readonly state: readonly RpcAnswer[];
  readonly callGas: bigint;
};

export type SingleVerdict =
  | { readonly ok: true; readonly outcome: ItemOutcome }
  | { readonly ok: false; readonly cause: WholeRefusal; readonly reason: string };

const BY_NAME: Readonly<Record<string, ItemOutcome>> = {
  IntentAlreadySettled: 'intent_already_settled',
  PayoutInactive: 'payout_inactive',
  AmountOutOfRange: 'amount_out_of_range',
  NonceNotBound: 'nonce_not_bound',
  PermitExpired: 'expired',
  PermitUsed: 'authorization_used',
  InvalidSignature: 'pull_refused',
};

/** Asks whether the intent is settled, whether the authorization is used, and for the payer's balance. */
export function singleQuestions(item: LaneItem): readonly RpcCall[] {
  const payer = item.payer as Hex;
  const settled = encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'isSettled',
    args: [item.intentCode],
  });
  return [
    { method: 'eth_call', params: [{ to: item.processor, data: settled }, 'latest'] },
    item.kind === 'permit' ? askPermitNonce(item.asset, payer) : askUsed(item.asset, payer, item.nonce as Hex),
    askBalance(item.asset, payer),
  ];
}

export function explainSingle({ item, chainTimeSeconds, played, state, callGas }: SinglePlay): SingleVerdict {
  const [settled, use, balance] = state;
  // A call to an address without code succeeds and does nothing; this answer shows that the processor is there.
  const alreadySettled = quantityOf(resultOf(settled)) === 1n;
  if (played.ok) return { ok: true, outcome: 'settled' };
  const refusal = readRefusal(played);
  const named = refusal.name === undefined ? undefined : BY_NAME[refusal.name];
  if (named !== undefined) return { ok: true, outcome: named };
  if (refusal.name === 'WrongAmountArrived' && refusal.args[1] === 0n) return { ok: true, outcome: 'nothing_arrived' };
  if (!blamesPayer(refusal, item, callGas)) return wholeRefusal(refusal);
  if (alreadySettled) return { ok: true, outcome: 'intent_already_settled' };
  if (chainTimeSeconds <= item.validAfterSeconds && item.kind !== 'permit')
    return { ok: true, outcome: 'not_yet_valid' };
  if (chainTimeSeconds >= item.validBeforeSeconds) return { ok: true, outcome: 'expired' };
  const used = quantityOf(resultOf(use));
  if (item.kind === 'permit' ? used > BigInt(item.nonce) : used === 1n)
    return { ok: true, outcome: 'authorization_used' };
  if (quantityOf(resultOf(balance)) < item.capAtomic) return { ok: true, outcome: 'insufficient_funds' };
  if (refusal.name === undefined) return wholeRefusal(refusal);
  return { ok: true, outcome: 'pull_refused' };
}

/** Every other refusal (paused, over a cap, not allowed, an unfit token) stops the lane, whatever the payment. */
function blamesPayer({ name, args }: ProcessorRefusal, item: LaneItem, callGas: bigint): boolean {
  if (name === undefined || name === 'PullFailed' || name === 'PermitNotInForce') return true;
  // In a single call of a contract wallet, the wallet burned the gas, unless the token's own limit was raised.
  return (
    name === 'NotEnoughGas' &&
    item.byContract &&
    typeof args[1] === 'bigint' &&
    args[1] <= callGas + callGas / 63n + 10_000n
  );
}
