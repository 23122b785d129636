// Confirms an up-to payment: load, replay, verify, store. Stores the payer's authorization until the merchant settles it.
// No money moves.
import type { AcceptanceEcho, UptoConfirmResponse } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import { isPayerSpent } from '../budget/gas-budget.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import { isWithinBudget } from './check-budget.ts';
import { isDenied } from './is-denied.ts';
import { isWithinCap } from './judge-upto-settlement.ts';
import { type AskedSettlement, settledAtomicAt } from './read-settled-amount.ts';
import { type AuthorizationSubmission, payerOf, readAuthorization } from './read-submission.ts';
import { confirmAnswer, confirmRefusal } from './upto-answer.ts';
import type { ConfirmationOutcome, UptoPorts } from './upto-ports.ts';
import { isBinding, type UptoRead } from './upto-read.ts';
import { verifyAuthorization } from './verify-authorization.ts';

export type UptoCommand = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly requestId: string;
  readonly claim: IdempotencyClaim | null;
};

export type ConfirmCall = UptoCommand & {
  readonly encodedHeader: string;
  readonly echo: AcceptanceEcho | null | undefined;
  /** The caller is over its rate limit: only a header that was confirmed before is answered. */
  readonly limited: boolean;
};

export type Confirmed =
  | { readonly ok: true; readonly response: UptoConfirmResponse }
  | { readonly ok: false; readonly code: ErrorCode };

export async function confirmUpto(ports: UptoPorts, call: ConfirmCall): Promise<Confirmed> {
  const { caller, intentId, claim } = call;
  const submission = readAuthorization(call.encodedHeader, call.echo);
  const { payment } = submission;

  // Load
  const read = await ports.loadUpto(caller, intentId, payment);
  if (call.limited && read?.submittedIsStored !== true) return { ok: false, code: 'rate_limited' };
  if (read === undefined) return { ok: false, code: 'not_found' };
  if (claim !== null && (await ports.isKeyReused(caller, claim))) return { ok: false, code: 'idempotency_key_reused' };
  const { intent, stored } = read;
  if (!intent.upto) return { ok: false, code: 'not_an_upto_intent' };

  // Replay
  if (read.submittedIsStored) return confirmed(ports, call, read, true);
  if (payment !== null && isBinding(stored, intent.status, ports.clock.nowMs()))
    return { ok: false, code: 'upto_already_confirmed' };

  // Verify and store
  const outcome = await storeHeader(ports, call, submission, read, null);
  const after = (await ports.loadUpto(caller, intentId, payment)) ?? read;
  if (outcome.ok) return confirmed(ports, call, after, !outcome.first);
  if (ERRORS[outcome.code].status !== 200) return outcome;
  return { ok: true, response: confirmRefusal(after, outcome.code, caller.kind) };
}

async function confirmed(
  ports: UptoPorts,
  { caller, claim }: ConfirmCall,
  read: UptoRead,
  before: boolean,
): Promise<Confirmed> {
  if (claim !== null) await ports.bindKey(caller, claim, ports.clock.nowMs());
  return { ok: true, response: confirmAnswer(read, before, caller.kind) };
}

export type StoredHeader =
  /** `first`: stored by this call. */
  { readonly ok: true; readonly first: boolean } | { readonly ok: false; readonly code: ErrorCode };

/**
 * Verifies a header and stores it on its up-to intent. Confirm does this without an amount. Settle does it for a header
 * that was never confirmed, with the amount to be settled: nothing is stored for an amount that is refused anyway.
 */
export async function storeHeader(
  ports: UptoPorts,
  call: UptoCommand,
  submission: AuthorizationSubmission,
  { intent, payerBudget }: UptoRead,
  asked: AskedSettlement | null,
): Promise<StoredHeader> {
  const { caller, intentId } = call;
  const refuse = async (code: ErrorCode, detail: string | null = null): Promise<StoredHeader> => {
    const payer = payerOf(submission.payment);
    await ports.recordAttempt({ caller, intentId, code, detail, payer, nowMs: ports.clock.nowMs() });
    return { ok: false, code };
  };
  if (isDenied(ports, submission.payment)) return refuse('payer_denied');
  if (isPayerSpent(payerBudget)) return refuse('gas_budget_spent');
  const verification = await verifyAuthorization(ports, call, submission, intent);
  if (!verification.ok) {
    const { code, detail, claimed } = verification;
    if (claimed === 'here') return { ok: true, first: false };
    return code === 'chain_unavailable' ? { ok: false, code } : refuse(code, detail);
  }
  const { verified } = verification;
  if (!(await isWithinBudget(ports, caller, verified))) return refuse('gas_budget_spent');
  const { rate, amount: capAtomic } = verified.acceptance;
  if (asked !== null && !isWithinCap(settledAtomicAt(asked, rate), capAtomic))
    return { ok: false, code: 'settled_amount_out_of_range' };
  const origin = { requestId: call.requestId, idempotencyKey: call.claim?.key ?? null };
  const nowMs = ports.clock.nowMs();
  const limits = ports.openCaps && { openCaps: ports.openCaps };
  return OUTCOMES[await ports.recordConfirmation({ ...verified, ...limits, caller, intentId, origin, nowMs })];
}

const OUTCOMES: Readonly<Record<ConfirmationOutcome, StoredHeader>> = {
  confirmed: { ok: true, first: true },
  confirmed_before: { ok: true, first: false },
  bound_elsewhere: { ok: false, code: 'authorization_bound_elsewhere' },
  other_confirmed: { ok: false, code: 'upto_already_confirmed' },
  too_many_open: { ok: false, code: 'x402_temporarily_unavailable' },
  intent_taken: { ok: false, code: 'intent_not_payable' },
};
