// Settles a payment for a seller: an intent and a payment of its account, through the steps of every payment. A repeat joins
// the settlement of an earlier call, or is told that it is a repeat; nothing is claimed twice.
import type { Id } from '@svc-pay/protocol/ids';
import { isPayerSpent } from '../budget/gas-budget.ts';
import { draftEventsOf } from '../event/event-draft.ts';
import { acceptanceFor } from '../intent/create-intent.ts';
import { intentEvents, intentSubject } from '../intent/intent-events.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { settleAnswer } from '../settlement/settle-answer.ts';
import { type SettleReply, type SettleResult, settlePayment, settleVerified } from '../settlement/settle-payment.ts';
import type { SettlementRead } from '../settlement/settlement-read.ts';
import type { FacilitatorPorts } from './facilitator-ports.ts';
import { isSameTerms, judgeSettle, type LeaseStep } from './judge-settle-lease.ts';
import { hasLeaseEnded, isHolder } from './lease.ts';
import type { LoadedLease } from './lease-store.ts';
import { offerForSeller } from './offer-for-seller.ts';
import { readSellerPayment, refusal, type SellerPayment, type SellerRefusal } from './seller-payment.ts';
import { outcomeOf, pending, refused, repeated, type SellerSettle } from './seller-settle.ts';
import {
  draftSellerIntent,
  LEASE_REFUSALS,
  type LeasedCall,
  type SellerCall,
  verifyOffered,
} from './verify-for-seller.ts';

export type SettleForSeller = SellerCall & {
  readonly requestId: string;
  /** The caller is over its rate limit: only a payment that this account verified or began is settled. */
  readonly limited: boolean;
};

/** A call that waits for another one looks again after this time, then each time after twice as long, up to the most. */
const LOOK_AGAIN_MS = 250;
const MOST_LOOK_AGAIN_MS = 2_000;

export async function settleForSeller(ports: FacilitatorPorts, call: SettleForSeller): Promise<SellerSettle> {
  const startedAtMs = ports.clock.nowMs();
  const read = readSellerPayment(ports.families, call.caller.mode, call.payment, call.terms, startedAtMs);
  if (!read.ok) return refused(read);
  const about = { payer: read.authorization.payer, amount: read.terms.amount };
  const leftMs = () => startedAtMs + ports.sellerWaitMs - ports.clock.nowMs();
  const { caller } = call;
  for (let pauseMs = LOOK_AGAIN_MS; ; pauseMs = Math.min(2 * pauseMs, MOST_LOOK_AGAIN_MS)) {
    const facts = await ports.loadLease(read.authorization);
    const step = judgeSettle({ ...caller, ...read.leased }, facts, facts.readAtMs);
    if (step.does === 'wait') {
      // Over its limit, a caller must not have the database asked all the time.
      if (!call.limited && leftMs() > 0 && (await ports.pause(Math.min(pauseMs, leftMs())))) continue;
      const found = await loadTaken(ports, call, read, step.intentId);
      return { ...about, ...pending(found && settleAnswer(found, caller.kind).transactionId) };
    }
    const done = await take(ports, call, read, facts, step, leftMs);
    if (done !== undefined) return { ...about, ...done };
  }
}

/** Undefined: the lease has changed since it was read, and is judged again. */
async function take(
  ports: FacilitatorPorts,
  call: SettleForSeller,
  read: SellerPayment,
  facts: LoadedLease,
  step: Exclude<LeaseStep, { readonly does: 'wait' }>,
  leftMs: () => number,
): Promise<SellerSettle | undefined> {
  const { caller } = call;
  const { claimKey } = read.authorization;
  if (step.does === 'refuse') return refused(LEASE_REFUSALS[step.refusal]);
  if (step.does === 'repeat') return repeated(await loadTaken(ports, call, read, step.intentId), caller.kind);
  const { call: number } = step;
  if (step.does === 'return') {
    const found = await loadTaken(ports, call, read, step.intentId);
    // The lease takes the terms of this header, and nothing has verified them.
    const isTold = found === undefined || !isUntold(found) || !(await isAskedBy(ports, call, read, found));
    if (isTold) return repeated(found, caller.kind);
  }
  if (step.does === 'join' || step.does === 'return') {
    if (call.limited && facts.claim === undefined) return refused(refusal('rate_limited'));
    const { intentId } = step;
    const taken =
      step.does === 'join'
        ? await ports.takeOver(claimKey, number)
        : await ports.returnLease({ claimKey, call: number, intentId, ...read.leased });
    if (!taken) return undefined;
    const order = { caller, intentId, encoded: read.encoded, claim: null, limited: call.limited };
    const waiting = waitingPorts(ports, leftMs());
    return answering(ports, { claimKey, call: number }, async () => {
      const found = facts.claim && (await loadTaken(ports, call, read, intentId));
      return found?.byStranger === true ? tellStored(found, call, read) : settlePayment(waiting, order);
    });
  }
  if (isPayerSpent(facts.payerBudget)) return refused(refusal('gas_budget_spent'));
  if (call.limited && !isSpared(facts, call)) return refused(refusal('rate_limited'));
  // Marked before the chain is asked, so that it is asked once.
  if (call.limited) await ports.markAnswers([{ claimKey, call: number - 1, answer: 'unclaimed' }]);
  return begin(ports, call, read, number, leftMs);
}

async function begin(
  ports: FacilitatorPorts,
  call: SettleForSeller,
  read: SellerPayment,
  number: number,
  leftMs: () => number,
): Promise<SellerSettle | undefined> {
  const { caller, requestId } = call;
  const { accountId, mode } = caller;
  const { authorization, leased, encoded, submission } = read;
  const offered = await offerForSeller(ports, caller, read);
  if (!offered.ok) return refuseUnlessTaken(ports, read, number, offered);
  const nowMs = ports.clock.nowMs();
  const drafted = draftSellerIntent(caller, read, offered, nowMs);
  const { offer, acceptance } = offered;
  const verified = await verifyOffered(ports, caller, read, offered, drafted);
  if (!verified.ok) return refuseUnlessTaken(ports, read, number, verified);
  const intent = { ...drafted, intentCode: await ports.nextIntentCode() };
  const record = await acceptanceFor(ports, caller, intent, offer, 0, acceptance.maxTimeoutSeconds);
  const origin = { requestId, idempotencyKey: null };
  const begun = await ports.beginSettle({
    accountId,
    mode,
    ...authorization,
    ...leased,
    call: number,
    record: {
      intent,
      acceptances: [record],
      events: draftEventsOf(intentSubject(intent), intentEvents(undefined, intent), origin, nowMs, 0),
      idempotency: null,
    },
  });
  if (!begun) return undefined;
  const order = { caller, intentId: intent.id, encoded, claim: null, limited: false };
  const waiting = waitingPorts(ports, leftMs());
  return answering(ports, { claimKey: authorization.claimKey, call: number }, () =>
    settleVerified(waiting, order, submission, verified.verified),
  );
}

/** Undefined: another call has taken the payment meanwhile, and may have caused the refusal so. */
async function refuseUnlessTaken(
  ports: FacilitatorPorts,
  { authorization }: SellerPayment,
  number: number,
  refusal: SellerRefusal,
): Promise<SellerSettle | undefined> {
  const { claim, lease } = await ports.loadLease(authorization);
  if (claim !== undefined || (lease?.call ?? 0) !== number - 1) return undefined;
  return refusal.moneyMoved === 'unknown' ? pending(null) : refused(refusal);
}

/** The same settle may follow at once: what it must find is marked before the answer goes. */
async function answering(
  { markAnswers }: FacilitatorPorts,
  lease: LeasedCall,
  settle: () => Promise<SettleResult>,
): Promise<SellerSettle> {
  try {
    const settled = await settle();
    const outcome = outcomeOf(settled);
    const isPending = outcome.outcome === 'pending';
    // Also of an intent that is paid: a stranger may have done so since the claim was read, and the seller is to hear of it.
    const isUnclaimed = outcome.outcome !== 'settled' && !(settled.ok && settled.own);
    if (!isPending && !isUnclaimed) return { ...outcome, lease };
    await markAnswers([{ ...lease, answer: isUnclaimed ? 'unclaimed' : 'pending' }]);
    return outcome;
  } catch (problem) {
    await markAnswers([{ ...lease, answer: 'lost' }]).catch(() => {});
    throw problem;
  }
}

/** Stock sellers do not repeat a settle that has no transaction yet, so a stop of the process lets these waits go on. */
function waitingPorts(ports: FacilitatorPorts, leftMs: number): FacilitatorPorts {
  const awaitResult: FacilitatorPorts['awaitResult'] = (payment, timeoutMs) =>
    ports.awaitResult({ ...payment, outlastsStop: true }, timeoutMs);
  return { ...ports, awaitResult, settleWaitMs: Math.max(0, leftMs) };
}

/** A handler has run for what the account verified, so its first settle is taken also over the rate limit. */
function isSpared({ lease, readAtMs }: LoadedLease, { caller }: SettleForSeller): boolean {
  if (lease === undefined || lease.intentId !== null || lease.answer === 'unclaimed') return false;
  return isHolder(lease, caller) && !hasLeaseEnded(lease, readAtMs);
}

type Taken = SettlementRead & { readonly byStranger: boolean };

/** The payment that has the authorization, and its intent. What a stranger submitted has no stored header, and its claim alone. */
async function loadTaken(
  ports: FacilitatorPorts,
  { caller }: SettleForSeller,
  { submission, authorization }: SellerPayment,
  intentId: Id<'paymentIntent'> | undefined,
): Promise<Taken | undefined> {
  const read = intentId && (await ports.loadSettlement(caller, intentId, submission.payment));
  if (read === undefined || intentId === undefined) return undefined;
  if (read.own !== null) return { ...read, byStranger: false };
  const own = await ports.loadClaimed(caller, intentId, authorization.claimKey);
  return { ...read, own, byStranger: own !== null };
}

/**
 * What a stranger submitted is on the chain, with its signature: it is told whoever the payer is. Settling it would refuse a
 * payer who is denied or over budget.
 */
const tellStored = (found: Taken, { caller }: SettleForSeller, { authorization }: SellerPayment): SettleReply => ({
  ok: true,
  own: true,
  payer: authorization.payer,
  response: settleAnswer(found, caller.kind),
  replayed: true,
  claimed: false,
});

/** A stranger paid the intent of a seller's settle that was refused: the seller was told that, and nothing else. */
const isUntold = ({ byStranger, own, intent }: Taken): boolean =>
  byStranger && intent.createdWith === 'x402' && own?.payment.status === PAYMENT_STATUS.completed;

/** The header is for the amount and the wallet that its intent asks for. */
async function isAskedBy(
  ports: FacilitatorPorts,
  { caller }: SettleForSeller,
  { leased }: SellerPayment,
  { intent }: Taken,
): Promise<boolean> {
  const offered = await ports.loadAcceptances(caller, intent.id);
  return offered.some(({ payTo: recipient, amount }) => isSameTerms({ recipient, amount }, leased));
}
