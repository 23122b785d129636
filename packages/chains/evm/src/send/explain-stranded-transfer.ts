// Explains why the processor refuses to settle or return a stranded transfer. Some refusals are final for the payment,
// some for anybody. The others pass (paused, over the hourly cap, not allowed yet, money of others taken first), and
// the transfer waits.
import type { ItemOutcome, SimulationResult } from '@svc-pay/core';
import { readRefusal } from '../processor/read-refusal.ts';
import type { RpcAnswer } from '../rpc/json-rpc.ts';

const FINAL: Readonly<Record<string, ItemOutcome>> = {
  IntentAlreadySettled: 'intent_already_settled',
  PayoutInactive: 'payout_inactive',
  AmountOutOfRange: 'amount_out_of_range',
  NonceNotBound: 'nonce_not_bound',
  // Somebody settled or returned the transfer by hand, or the wallet no longer accepts its signature.
  AlreadyRecovered: 'nothing_arrived',
  InvalidSignature: 'pull_refused',
  AuthorizationCannotStrand: 'malformed',
};

export function explainStrandedRefusal(played: RpcAnswer, chainTimeSeconds: bigint): SimulationResult {
  if (played.ok) return { ok: true, outcomes: ['settled'], chainTimeSeconds };
  const { name, text } = readRefusal(played);
  const outcome = name === undefined ? undefined : FINAL[name];
  if (outcome === undefined) return { ok: false, cause: 'refused', reason: text, chainTimeSeconds };
  return { ok: true, outcomes: [outcome], chainTimeSeconds };
}
