// Confirms an up-to payment: verifies, claims and stores the payer's signature on a cap. No money moves; the merchant
// settles or releases the intent later.
import { decodePaymentHeader, type UptoConfirmResponse } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import { authorizationIn } from './settle-payment.ts';
import { takeHeader } from './take-upto-header.ts';
import { confirmAnswer, confirmRefusal } from './upto-answer.ts';
import type { UptoPorts } from './upto-ports.ts';
import { isBinding, type UptoRead } from './upto-read.ts';
import type { HeaderCall } from './verify-upto-header.ts';

export type ConfirmCall = HeaderCall & {
  readonly requestId: string;
  readonly claim: IdempotencyClaim | null;
  /** The caller is over its rate limit: only a header that was confirmed before is answered. */
  readonly limited: boolean;
};

export type Confirmed =
  | { readonly ok: true; readonly response: UptoConfirmResponse }
  | { readonly ok: false; readonly code: ErrorCode };

export async function confirmUpto(ports: UptoPorts, call: ConfirmCall): Promise<Confirmed> {
  const { caller, intentId, claim, requestId } = call;
  const sent = authorizationIn(decodePaymentHeader(call.encodedHeader));
  const read = await ports.loadUpto(caller, intentId, sent);
  if (call.limited && read?.submittedIsStored !== true) return { ok: false, code: 'rate_limited' };
  if (read === undefined) return { ok: false, code: 'not_found' };
  if (claim !== null && (await ports.isKeyReused(caller, claim))) return { ok: false, code: 'idempotency_key_reused' };
  if (!read.intent.upto) return { ok: false, code: 'not_an_upto_intent' };
  if (read.submittedIsStored) return confirmed(ports, call, read, true);
  if (sent !== null && isBinding(read.stored, read.intent.status, ports.clock.nowMs())) {
    return { ok: false, code: 'upto_already_confirmed' };
  }
  const origin = { requestId, idempotencyKey: claim?.key ?? null };
  const taken = await takeHeader(ports, { ...call, origin }, read);
  const after = (await ports.loadUpto(caller, intentId, sent)) ?? read;
  if (taken.ok) return confirmed(ports, call, after, !taken.first);
  if (ERRORS[taken.code].status !== 200) return taken;
  return { ok: true, response: confirmRefusal(after, taken.code) };
}

async function confirmed(
  ports: UptoPorts,
  { caller, claim }: ConfirmCall,
  read: UptoRead,
  before: boolean,
): Promise<Confirmed> {
  if (claim !== null) await ports.bindKey(caller, claim, ports.clock.nowMs());
  return { ok: true, response: confirmAnswer(read, before) };
}
