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
export type SettleReply = {
  readonly ok: true;
  /** The answer speaks of the payment of this header; false where the header is refused or another one has the intent. */
  readonly own: boolean;
  /** The payer whom the header names. Nobody has proved that they signed a refused one. */
  readonly payer: string | null;
  /** Where reading or comparing a refused header stopped. */
  readonly detail?: string;
  readonly response: SettleResponse;
  readonly replayed: boolean;
  readonly claimed: boolean;
  /**
   * Set for a refused header that pays the merchant's own wallet: anybody who has it may still submit it to the token, so a
   * second signature may move money twice.
   */
  readonly mayStillMove?: true;
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
  if (read.intent.upto)
    return reply(refusalAnswer(read, 'x402_upto_settlement_requires_secret_key', caller.kind), submission);

  // Replay
  if (claimedBefore) return { ...(await replyOfClaimed(ports, call, submission, read)), replayed: true };

  // Verify
  // Before any node is asked. The header is not verified, and may be the one that a stranger paid the intent with.
  const barred = isDenied(ports, submission.payment)
    ? 'payer_denied'
    : isPayerSpent(read.payerBudget)
      ? 'gas_budget_spent'
      : undefined;
  if (barred !== undefined)
    return isTaken(read) ? answer(call, submission, read) : refuse(ports, call, submission, read, barred);
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
    if (code === 'intent_not_payable' && (isTaken(read) || isMismatched(read))) return answer(call, submission, read);
    const told = await refuse(ports, call, submission, read, code, detail);
    return refused === undefined ? told : { ...told, mayStillMove: true };
  }

  return settleVerified(ports, call, submission, verification.verified, read);
}

/** Claims a payment that is verified, and waits for its result. `read` is what was read of its intent, if anything. */
export async function settleVerified(
  ports: SettlePorts,
  call: SettleCall,
  submission: Submission,
  verified: VerifiedPayment,
  read?: SettlementRead,
): Promise<SettleReply> {
  const { caller } = call;

  // Claim
  if (!(await isWithinBudget(ports, caller, verified))) {
    await recordUnbudgeted(ports, call, verified);
    const known = read ?? (await reload(ports, call, submission));
    return withMovable(verified, await refuse(ports, call, submission, known, 'gas_budget_spent'));
  }
  // Before the claim: from its commit on the payment may get its result.
  const unwatch = ports.watchResult(call.intentId);
  try {
    return await claimAndWait(ports, call, submission, verified);
  } finally {
    unwatch();
  }
}

async function claimAndWait(
  ports: SettlePorts,
  call: SettleCall,
  submission: Submission,
  verified: VerifiedPayment,
): Promise<SettleReply> {
  const claimed = await claimWithRetry(ports, call, submission, verified);
  if (claimed.outcome !== 'claimed') {
    await recordUnclaimed(ports, call, verified, claimed.outcome);
    const told = await replyUnclaimed(ports, call, submission, verified, claimed);
    return claimed.outcome === 'payer_over_limit' ? withMovable(verified, told) : told;
  }

  // Wait
  await bindKey(ports, call);
  const { network } = verified.acceptance;
  const settled = await waitFor(ports, call, submission, { id: claimed.paymentId, network }, undefined);
  return { ...answer(call, submission, settled), claimed: true };
}

const withMovable = ({ direct }: VerifiedPayment, told: SettleReply): SettleReply =>
  direct === undefined ? told : { ...told, mayStillMove: true };

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
  return answer(call, submission, settled);
}

/** The rows of the payment, if another call claimed it during the chain read and may have caused the refusal so. */
async function claimedMeanwhile(
  ports: SettlePorts,
  call: SettleCall,
  submission: Submission,
  { claimed, claimKey }: Extract<Verification, { ok: false }>,
): Promise<SettlementRead | undefined> {
  if (claimed === undefined) return undefined;
  const read = await reload(ports, call, submission);
  if (claimKey !== undefined) return withClaimed(ports, call, read, claimKey);
  return read.own === null ? undefined : read;
}

/**
 * For a claim that this intent has. Money that the chain reader found has a claim and a payment, and no stored authorization
 * that the header could be compared with. Such a payment begins with its result, so this second read can't contradict the
 * first.
 */
async function withClaimed(
  ports: Pick<SettlePorts, 'loadClaimed'>,
  { caller, intentId }: SettleCall,
  read: SettlementRead,
  claimKey: Uint8Array,
): Promise<SettlementRead> {
  return read.own === null ? { ...read, own: await ports.loadClaimed(caller, intentId, claimKey) } : read;
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
  { claimKey }: VerifiedPayment,
  { outcome, read }: Unclaimed,
): Promise<SettleReply> {
  if (outcome === 'claimed_before')
    return replyOfClaimed(ports, call, submission, await withClaimed(ports, call, read, claimKey));
  if (outcome === 'intent_taken') return answer(call, submission, read);
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
  const { caller, intentId } = call;
  const readAgain = async (mayHaveResult?: Id<'payment'>) => {
    const result = mayHaveResult && (await ports.loadResult({ caller, intentId, paymentId: mayHaveResult }));
    return result ?? reload(ports, call, submission);
  };
  return waitForResult(ports, call, payment, { reload: readAgain, pendingIn }, first);
}

async function refuse(
  ports: SettlePorts,
  { caller, intentId }: SettleCall,
  submission: Submission,
  read: SettlementRead,
  code: ErrorCode,
  detail: string | null = null,
): Promise<SettleReply> {
  const nowMs = ports.clock.nowMs();
  await ports.recordAttempt({ caller, intentId, code, detail, payer: payerOf(submission.payment), nowMs });
  return { ...reply(refusalAnswer(read, code, caller.kind), submission), ...(detail !== null && { detail }) };
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

/** A payment of the intent is processing, or has completed it. */
const isTaken = ({ intent: { status } }: SettlementRead) =>
  status === INTENT_STATUS.processing || status === INTENT_STATUS.completed;

/** Other amounts were paid for it. It is payable until it expires. */
const isMismatched = ({ intent: { status } }: SettlementRead) => status === INTENT_STATUS.mismatched;

const pendingIn = ({ own }: SettlementRead) =>
  own?.payment.status === PAYMENT_STATUS.pending ? own.payment : undefined;

const answer = ({ caller }: SettleCall, submission: Submission, read: SettlementRead): SettleReply => ({
  ...reply(settleAnswer(read, caller.kind), submission),
  own: read.own !== null,
});

const reply = (response: SettleResponse, { payment }: Submission): SettleReply => ({
  ok: true,
  response,
  own: false,
  payer: payerOf(payment),
  replayed: false,
  claimed: false,
});
