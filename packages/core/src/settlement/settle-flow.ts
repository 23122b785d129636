// Steps shared by EVM headers and Solana transactions. A payment that was claimed before is answered from stored rows;
// a new one is claimed in one statement, and its result is awaited. Nothing is sent from here: the claim queues the
// payment, and a lane sends it.
import type { NetworkId, SettleResponse } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import type { PaymentClaim } from '../payment/claim-payment.ts';
import { normalizeAddress } from '../token/address.ts';
import { refusalAnswer, settleAnswer } from './settle-answer.ts';
import type { SettlePorts, SubmittedPayment } from './settle-ports.ts';
import type { SettlementRead } from './settlement-read.ts';

export type SettleCommand = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly claim: IdempotencyClaim | null;
  /** The caller is over its rate limit: only a payment that was claimed before is answered. */
  readonly limited: boolean;
};

export type SettleResult =
  /** `replayed`: the payment was claimed before this call. */
  | { readonly ok: true; readonly response: SettleResponse; readonly replayed: boolean }
  | {
      readonly ok: false;
      readonly code: 'not_found' | 'chain_unavailable' | 'rate_limited' | 'idempotency_key_reused';
    };

const MAX_CLAIM_TRIES = 3;

/** Calls `settleNew` for a payment that was never claimed. */
export async function settleSubmitted(
  ports: SettlePorts,
  call: SettleCommand,
  submitted: SubmittedPayment | null,
  settleNew: (read: SettlementRead) => Promise<SettleResult>,
): Promise<SettleResult> {
  const { caller, intentId, claim } = call;
  const read = await ports.loadSettlement(caller, intentId, submitted);
  if (read === undefined) return call.limited ? { ok: false, code: 'rate_limited' } : { ok: false, code: 'not_found' };
  const claimed = read.own !== null && !read.intent.upto;
  if (call.limited && !claimed) return { ok: false, code: 'rate_limited' };
  if (claim !== null && (await ports.isKeyReused(caller, claim))) return { ok: false, code: 'idempotency_key_reused' };
  if (read.intent.upto) return answer(refusalAnswer(read, 'x402_upto_settlement_requires_secret_key'));
  if (!claimed) return settleNew(read);
  return { ...(await outcomeOf(ports, call, submitted, read)), replayed: true };
}

export async function claimSubmitted(
  ports: SettlePorts,
  call: SettleCommand,
  submitted: SubmittedPayment | null,
  verified: Omit<PaymentClaim, 'caller' | 'intentId' | 'paymentId' | 'nowMs'>,
): Promise<SettleResult> {
  const { caller, intentId } = call;
  for (let tries = 1; ; tries += 1) {
    const nowMs = ports.clock.nowMs();
    const paymentId = newId('payment', nowMs);
    const { outcome } = await ports.claimPayment({ ...verified, caller, intentId, paymentId, nowMs });
    if (outcome === 'claimed') return outcomeOfClaimed(ports, call, submitted, paymentId, verified.acceptance.network);
    const read = await reload(ports, call, submitted);
    if (outcome === 'bound_elsewhere')
      return refuseSubmitted(ports, call, read, submitted, 'authorization_bound_elsewhere');
    if (outcome !== 'intent_taken') return outcomeOf(ports, call, submitted, read);
    if (isTaken(read)) return answer(settleAnswer(read));
    // The payment that held the intent has just failed, and the intent is payable again.
    const payable = read.intent.status === 'requires_payment' && read.intent.expiresAtMs > ports.clock.nowMs();
    if (!payable || tries === MAX_CLAIM_TRIES)
      return refuseSubmitted(ports, call, read, submitted, 'intent_not_payable');
  }
}

/** Answers for a claimed payment, after waiting for its result. */
export async function outcomeOf(
  ports: SettlePorts,
  call: SettleCommand,
  submitted: SubmittedPayment | null,
  first: SettlementRead,
): Promise<Extract<SettleResult, { ok: true }>> {
  await bindKey(ports, call);
  if (isPending(first)) ports.wakeLanes(first.own.payment.network);
  return waitForResult(ports, call, submitted, first, ports.clock.nowMs() + ports.settleWaitMs);
}

/** A payment claimed by this call is pending, so no read comes before the wait. */
async function outcomeOfClaimed(
  ports: SettlePorts,
  call: SettleCommand,
  submitted: SubmittedPayment | null,
  paymentId: Id<'payment'>,
  network: NetworkId,
): Promise<Extract<SettleResult, { ok: true }>> {
  const { caller, intentId } = call;
  const deadlineMs = ports.clock.nowMs() + ports.settleWaitMs;
  await bindKey(ports, call);
  ports.wakeLanes(network);
  const told = ports.settleWaitMs > 0 && (await ports.awaitResult({ caller, intentId, paymentId }, ports.settleWaitMs));
  const read = await reload(ports, call, submitted);
  return told ? waitForResult(ports, call, submitted, read, deadlineMs) : answer(settleAnswer(read));
}

async function waitForResult(
  ports: SettlePorts,
  call: SettleCommand,
  submitted: SubmittedPayment | null,
  first: SettlementRead,
  deadlineMs: number,
): Promise<Extract<SettleResult, { ok: true }>> {
  const { caller, intentId } = call;
  let read = first;
  for (let looking = true; looking && isPending(read); ) {
    const leftMs = deadlineMs - ports.clock.nowMs();
    if (leftMs <= 0) break;
    looking = await ports.awaitResult({ caller, intentId, paymentId: read.own.payment.id }, leftMs);
    read = await reload(ports, call, submitted);
  }
  return answer(settleAnswer(read));
}

async function bindKey(ports: SettlePorts, { caller, claim }: SettleCommand): Promise<void> {
  if (claim !== null) await ports.bindKey(caller, claim, ports.clock.nowMs());
}

export async function refuseSubmitted(
  ports: SettlePorts,
  { caller, intentId }: SettleCommand,
  read: SettlementRead,
  submitted: SubmittedPayment | null,
  code: ErrorCode,
  detail?: string,
): Promise<SettleResult> {
  const payer = submitted === null ? null : 'payer' in submitted ? submitted.payer : normalizeAddress(submitted.from);
  const nowMs = ports.clock.nowMs();
  await ports.recordAttempt({ caller, intentId, code, detail: detail ?? null, payer, nowMs });
  return answer(refusalAnswer(read, code));
}

export async function reload(
  ports: SettlePorts,
  call: SettleCommand,
  submitted: SubmittedPayment | null,
): Promise<SettlementRead> {
  const read = await ports.loadSettlement(call.caller, call.intentId, submitted);
  if (read === undefined) throw new Error(`intent ${call.intentId} was read before and is no longer in the database`);
  return read;
}

/** A payment of the intent is processing, or has completed or mismatched it. */
export const isTaken = ({ intent }: SettlementRead) =>
  intent.status === 'processing' || intent.status === 'completed' || intent.status === 'mismatched';

function isPending(read: SettlementRead): read is SettlementRead & { own: NonNullable<SettlementRead['own']> } {
  return read.own?.payment.status === 'pending';
}

export const answer = (response: SettleResponse) => ({ ok: true, response, replayed: false }) as const;
