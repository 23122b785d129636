// What the processor's refusal of a recovery means. Some refusals are final for the payment, some for anybody; the rest
// (paused, over its hourly cap, not allowed yet, money of others taken first) pass, and the recovery waits.
import type { ItemOutcome, Rehearsal } from '@svc-pay/core';
import type { RpcAnswer } from '../rpc/json-rpc.ts';
import { readRefusal } from './read-refusal.ts';

const FINAL: Readonly<Record<string, ItemOutcome>> = {
  IntentAlreadySettled: 'intent_already_settled',
  PayoutInactive: 'payout_inactive',
  AmountOutOfRange: 'amount_out_of_range',
  NonceNotBound: 'nonce_not_bound',
  // Somebody recovered it by hand, or the wallet no longer stands by its signature.
  AlreadyRecovered: 'nothing_arrived',
  InvalidSignature: 'pull_refused',
  AuthorizationCannotStrand: 'malformed',
};

export function explainRecovery(played: RpcAnswer, chainTimeSeconds: bigint): Rehearsal {
  if (played.ok) return { ok: true, outcomes: ['settled'], chainTimeSeconds };
  const { name, text } = readRefusal(played);
  const outcome = name === undefined ? undefined : FINAL[name];
  if (outcome === undefined) return { ok: false, cause: 'refused', reason: text, chainTimeSeconds };
  return { ok: true, outcomes: [outcome], chainTimeSeconds };
}
