// Settles an exact payment: load, replay, verify, claim, wait. A payment that was claimed before is answered from stored
// rows. A new one is verified, claimed in one statement, and its result is awaited. Nothing is sent from here: the claim
// queues the payment, and a lane sends it.
import type { SettleResponse } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import { isPayerSpent } from '../budget/gas-budget.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import { INTENT_STATUS } from '../intent/intent-transitions.ts';
import { isPayable } from '../intent/is-payable.ts';
import type { VerifiedPayment } from '../payment/claim-payment.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { unsettledLimitOf } from '../quota/unsettled-limits.ts';
import { isWithinBudget } from './check-budget.ts';
import { isDenied } from './is-denied.ts';
import { type EncodedPayment, payerOf, readSubmission, type Submission } from './read-submission.ts';
import {
  queueRefused,
  recordRefused,
  recordUnbudgeted,
  recordUnclaimed,
  type UnclaimedOutcome,
} from './refused-direct.ts';
import { refusalAnswer, settleAnswer } from './settle-answer.ts';
import type { SettlePorts } from './settle-ports.ts';
import type { SettlementRead } from './settlement-read.ts';
import { type Verification, verifyAuthorization } from './verify-authorization.ts';
import { verifyTransaction } from './verify-transaction.ts';
import { type PaymentToAwait, waitForResult } from './wait-for-result.ts';

export type SettleCall = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly encoded: EncodedPayment;
  readonly claim: IdempotencyClaim | null;
  /** The caller is over its rate limit: only a payment that was claimed before is answered. */
  readonly limited: boolean;
};

export type SettleResult =
  | SettleReply
  | {
      readonly ok: false;
      readonly code: 'not_found' | 'chain_unavailable' | 'rate_limited' | 'idempotency_key_reused';
      /** Set where a stranger may have submitted the header, and nothing tells. */
      readonly moneyMoved?: 'unknown';
    };

/** `replayed`: the payment was claimed before this call. `claimed`: this call claimed it, and no other did. */
type SettleReply = {
  readonly ok: true;
  readonly response: SettleResponse;
  readonly replayed: boolean;
  readonly claimed: boolean;
};

const MAX_CLAIM_TRIES = 3;

export async function settlePayment(ports: SettlePorts, call: SettleCall): Promise<SettleResult> {
  const { caller, intentId, claim, limited } = call;
  const submission = readSubmission(ports.families, call.encoded);

  // Load
  const read = await ports.loadSettlement(caller, intentId, submission.payment);
  const claimedBefore = read !== undefined && read.own !== null && !read.intent.upto;
  if (limited && !claimedBefore) return { ok: false, code: 'rate_limited' };
  if (read === undefined) return { ok: false, code: 'not_found' };
  if (claim !== null && (await ports.isKeyReused(caller, claim))) return { ok: false, code: 'idempotency_key_reused' };
  if (read.intent.upto) return reply(refusalAnswer(read, 'x402_upto_settlement_requires_secret_key', caller.kind));

  // Replay
  if (claimedBefore) return { ...(await replyOfClaimed(ports, call, submission, read)), replayed: true };

  // Verify
  if (isDenied(ports, submission.payment)) return refuse(ports, call, submission, read, 'payer_denied');
  if (isPayerSpent(read.payerBudget)) return refuse(ports, call, submission, read, 'gas_budget_spent');
  const verification =
    submission.form === 'authorization'
      ? await verifyAuthorization(ports, call, submission, read.intent)
      : await verifyTransaction(ports, call, submission, read.intent);
  if (!verification.ok) {
    const now = await claimedMeanwhile(ports, call, submission, verification);
    if (now !== undefined) return replyOfClaimed(ports, call, submission, now);
    const { code, detail, refused, moneyMoved } = verification;
    if (code === 'chain_unavailable') return { ok: false, code, ...(moneyMoved && { moneyMoved }) };
    if (refused !== undefined) await recordRefused(ports, call, refused, code);
    // A valid payment that comes too late gets the intent's status; no claim is taken.
    if (code === 'intent_not_payable' && isTaken(read)) return reply(settleAnswer(read, caller.kind));
    return refuse(ports, call, submission, read, code, detail);
  }

  // Claim
  const { verified } = verification;
  if (!(await isWithinBudget(ports, caller, verified))) {
    await recordUnbudgeted(ports, call, verified);
    return refuse(ports, call, submission, read, 'gas_budget_spent');
  }
  const claimed = await claimWithRetry(ports, call, submission, verified);
  if (claimed.outcome !== 'claimed') {
    await recordUnclaimed(ports, call, verified, claimed.outcome);
    return replyUnclaimed(ports, call, submission, claimed);
  }

  // Wait
  await bindKey(ports, call);
  const { network } = verified.acceptance;
  const settled = await waitFor(ports, call, submission, { id: claimed.paymentId, network }, undefined);
  return { ...reply(settleAnswer(settled, caller.kind)), claimed: true };
}

/** Answers for a payment that another call has claimed: the first result stands. */
async function replyOfClaimed(
  ports: SettlePorts,
  call: SettleCall,
  submission: Submission,
  read: SettlementRead,
): Promise<SettleReply> {
  await bindKey(ports, call);
  const pending = pendingIn(read);
  if (pending !== undefined && !call.limited) await queueRefused(ports, call, submission.payment, read);
  const settled = pending === undefined ? read : await waitFor(ports, call, submission, pending, read);
  return reply(settleAnswer(settled, call.caller.kind));
}

/** The rows of the payment, if another call claimed it during the chain read and may have caused the refusal so. */
async function claimedMeanwhile(
  ports: SettlePorts,
  call: SettleCall,
  submission: Submission,
  { claimed }: Extract<Verification, { ok: false }>,
): Promise<SettlementRead | undefined> {
  if (claimed === undefined) return undefined;
  const read = await reload(ports, call, submission);
  return claimed === 'here' || read.own !== null ? read : undefined;
}

type Claimed = { readonly outcome: 'claimed'; readonly paymentId: Id<'payment'> };

type Unclaimed = {
  readonly outcome: UnclaimedOutcome;
  readonly read: SettlementRead;
};

async function claimWithRetry(
  ports: SettlePorts,
  call: SettleCall,
  submission: Submission,
  verified: VerifiedPayment,
): Promise<Claimed | Unclaimed> {
  const { caller, intentId } = call;
  const { unsettledPerPayer: perPayer } = ports;
  const limit = perPayer !== undefined && { unsettledLimit: unsettledLimitOf(perPayer, verified.acceptance.rate) };
  for (let tries = 1; ; tries += 1) {
    const nowMs = ports.clock.nowMs();
    const paymentId = newId('payment', nowMs);
    const { outcome } = await ports.claimPayment({ ...verified, ...limit, caller, intentId, paymentId, nowMs });
    if (outcome === 'claimed') return { outcome, paymentId };
    const read = await reload(ports, call, submission);
    if (outcome !== 'intent_taken' || isTaken(read)) return { outcome, read };
    // The payment that had the intent has just failed, and the intent is payable again.
    const payable = isPayable(read.intent, ports.clock.nowMs());
    if (!payable || tries === MAX_CLAIM_TRIES) return { outcome: 'intent_not_payable', read };
  }
}

async function replyUnclaimed(
  ports: SettlePorts,
  call: SettleCall,
  submission: Submission,
  { outcome, read }: Unclaimed,
): Promise<SettleReply> {
  if (outcome === 'claimed_before') return replyOfClaimed(ports, call, submission, read);
  if (outcome === 'intent_taken') return reply(settleAnswer(read, call.caller.kind));
  return refuse(ports, call, submission, read, CODES[outcome]);
}

const CODES = {
  bound_elsewhere: 'authorization_bound_elsewhere',
  intent_not_payable: 'intent_not_payable',
  payer_over_limit: 'x402_temporarily_unavailable',
} as const satisfies Partial<Record<UnclaimedOutcome, ErrorCode>>;

async function waitFor(
  ports: SettlePorts,
  call: SettleCall,
  submission: Submission,
  payment: PaymentToAwait,
  first: SettlementRead | undefined,
): Promise<SettlementRead> {
  return waitForResult(ports, call, payment, { reload: () => reload(ports, call, submission), pendingIn }, first);
}

async function refuse(
  ports: SettlePorts,
  { caller, intentId }: SettleCall,
  { payment }: Submission,
  read: SettlementRead,
  code: ErrorCode,
  detail: string | null = null,
): Promise<SettleReply> {
  const nowMs = ports.clock.nowMs();
  await ports.recordAttempt({ caller, intentId, code, detail, payer: payerOf(payment), nowMs });
  return reply(refusalAnswer(read, code, caller.kind));
}

async function bindKey(ports: SettlePorts, { caller, claim }: SettleCall): Promise<void> {
  if (claim !== null) await ports.bindKey(caller, claim, ports.clock.nowMs());
}

async function reload(
  ports: SettlePorts,
  { caller, intentId }: SettleCall,
  { payment }: Submission,
): Promise<SettlementRead> {
  const read = await ports.loadSettlement(caller, intentId, payment);
  if (read === undefined) throw new Error(`intent ${intentId} was read before and is no longer in the database`);
  return read;
}

/** A payment of the intent is processing, or has completed or mismatched it. */
const isTaken = ({ intent: { status } }: SettlementRead) =>
  status === INTENT_STATUS.processing || status === INTENT_STATUS.completed || status === INTENT_STATUS.mismatched;

const pendingIn = ({ own }: SettlementRead) =>
  own?.payment.status === PAYMENT_STATUS.pending ? own.payment : undefined;

const reply = (response: SettleResponse) => ({ ok: true, response, replayed: false, claimed: false }) as const;
