// What settling is alike for every kind of signature: one that was claimed before is answered from rows, a new one is
// claimed in one statement and then waited for. Nothing is sent from here: the claim queues the payment, and a lane takes
// it from there.
import type { NetworkId, SettleResponse } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import { spelled } from '../ledger/book-payment.ts';
import type { PaymentClaim } from './claim-payment.ts';
import { refusalAnswer, settleAnswer } from './settle-answer.ts';
import type { SentPayment, SettlePorts } from './settle-ports.ts';
import type { SettlementRead } from './settlement-read.ts';

export type SentCall = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly claim: IdempotencyClaim | null;
  /** Over its rate limit: only what was claimed before is answered. */
  readonly limited: boolean;
};

export type Settled =
  /** `replayed`: it had been claimed before this call. */
  | { readonly ok: true; readonly response: SettleResponse; readonly replayed: boolean }
  | {
      readonly ok: false;
      readonly code: 'not_found' | 'chain_unavailable' | 'rate_limited' | 'idempotency_key_reused';
    };

const MAX_CLAIM_TRIES = 3;

/** `settleNew` is for what was never claimed. */
export async function settleSent(
  ports: SettlePorts,
  call: SentCall,
  sent: SentPayment | null,
  settleNew: (read: SettlementRead) => Promise<Settled>,
): Promise<Settled> {
  const { caller, intentId, claim } = call;
  const read = await ports.loadSettlement(caller, intentId, sent);
  if (read === undefined) return call.limited ? { ok: false, code: 'rate_limited' } : { ok: false, code: 'not_found' };
  const claimed = read.own !== null && !read.intent.upto;
  if (call.limited && !claimed) return { ok: false, code: 'rate_limited' };
  if (claim !== null && (await ports.isKeyReused(caller, claim))) return { ok: false, code: 'idempotency_key_reused' };
  if (read.intent.upto) return answer(refusalAnswer(read, 'x402_upto_settlement_requires_secret_key'));
  if (!claimed) return settleNew(read);
  return { ...(await outcomeOf(ports, call, sent, read)), replayed: true };
}

export async function claimSent(
  ports: SettlePorts,
  call: SentCall,
  sent: SentPayment | null,
  verified: Omit<PaymentClaim, 'caller' | 'intentId' | 'paymentId' | 'nowMs'>,
): Promise<Settled> {
  const { caller, intentId } = call;
  for (let tries = 1; ; tries += 1) {
    const nowMs = ports.clock.nowMs();
    const paymentId = newId('payment', nowMs);
    const { outcome } = await ports.claimPayment({ ...verified, caller, intentId, paymentId, nowMs });
    if (outcome === 'claimed') return outcomeOfClaimed(ports, call, sent, paymentId, verified.acceptance.network);
    const read = await reload(ports, call, sent);
    if (outcome === 'bound_elsewhere') return refuseSent(ports, call, read, sent, 'authorization_bound_elsewhere');
    if (outcome !== 'intent_taken') return outcomeOf(ports, call, sent, read);
    if (isTaken(read)) return answer(settleAnswer(read));
    // The one that held the intent failed a moment ago, and the intent is payable again.
    const payable = read.intent.status === 'requires_payment' && read.intent.expiresAtMs > ports.clock.nowMs();
    if (!payable || tries === MAX_CLAIM_TRIES) return refuseSent(ports, call, read, sent, 'intent_not_payable');
  }
}

/** The answer to what is claimed, after waiting for its payment's end. */
export async function outcomeOf(
  ports: SettlePorts,
  call: SentCall,
  sent: SentPayment | null,
  first: SettlementRead,
): Promise<Extract<Settled, { ok: true }>> {
  await bindKey(ports, call);
  if (isPending(first)) ports.wakeLanes(first.own.payment.network);
  return waitForEnd(ports, call, sent, first, ports.clock.nowMs() + ports.settleWaitMs);
}

/** Claimed a moment ago it is pending, without a look: nobody can have ended it since. */
async function outcomeOfClaimed(
  ports: SettlePorts,
  call: SentCall,
  sent: SentPayment | null,
  paymentId: Id<'payment'>,
  network: NetworkId,
): Promise<Extract<Settled, { ok: true }>> {
  const { caller, intentId } = call;
  const deadlineMs = ports.clock.nowMs() + ports.settleWaitMs;
  await bindKey(ports, call);
  ports.wakeLanes(network);
  const told = ports.settleWaitMs > 0 && (await ports.awaitEnd({ caller, intentId, paymentId }, ports.settleWaitMs));
  const read = await reload(ports, call, sent);
  return told ? waitForEnd(ports, call, sent, read, deadlineMs) : answer(settleAnswer(read));
}

async function waitForEnd(
  ports: SettlePorts,
  call: SentCall,
  sent: SentPayment | null,
  first: SettlementRead,
  deadlineMs: number,
): Promise<Extract<Settled, { ok: true }>> {
  const { caller, intentId } = call;
  let read = first;
  for (let looking = true; looking && isPending(read); ) {
    const leftMs = deadlineMs - ports.clock.nowMs();
    if (leftMs <= 0) break;
    looking = await ports.awaitEnd({ caller, intentId, paymentId: read.own.payment.id }, leftMs);
    read = await reload(ports, call, sent);
  }
  return answer(settleAnswer(read));
}

async function bindKey(ports: SettlePorts, { caller, claim }: SentCall): Promise<void> {
  if (claim !== null) await ports.bindKey(caller, claim, ports.clock.nowMs());
}

export async function refuseSent(
  ports: SettlePorts,
  { caller, intentId }: SentCall,
  read: SettlementRead,
  sent: SentPayment | null,
  code: ErrorCode,
  detail?: string,
): Promise<Settled> {
  const payer = sent === null ? null : 'payer' in sent ? sent.payer : spelled(sent.from);
  const nowMs = ports.clock.nowMs();
  await ports.recordAttempt({ caller, intentId, code, detail: detail ?? null, payer, nowMs });
  return answer(refusalAnswer(read, code));
}

export async function reload(ports: SettlePorts, call: SentCall, sent: SentPayment | null): Promise<SettlementRead> {
  const read = await ports.loadSettlement(call.caller, call.intentId, sent);
  if (read === undefined) throw new Error('an intent is gone');
  return read;
}

/** Somebody's payment holds the intent, or has ended it well. */
export const isTaken = ({ intent }: SettlementRead) =>
  intent.status === 'processing' || intent.status === 'completed' || intent.status === 'mismatched';

function isPending(read: SettlementRead): read is SettlementRead & { own: NonNullable<SettlementRead['own']> } {
  return read.own?.payment.status === 'pending';
}

export const answer = (response: SettleResponse) => ({ ok: true, response, replayed: false }) as const;
