// Settles an up-to payment with its final amount. The rules are checked here for a precise answer, and again by
// settlement, the only writer. Once the settlement is begun, every answer is made from stored rows.
import { decodePaymentHeader, type UptoSettleResponse } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import { sameAddress } from '../token/address.ts';
import { exceedsHourlyCap } from '../token/hourly-caps.ts';
import { isWithinCap, judgeSettlement } from './judge-upto-settlement.ts';
import { type AskedSettlement, settledAtomicAt } from './read-settled-amount.ts';
import { authorizationIn } from './settle-payment.ts';
import type { SubmittedAuthorization } from './settle-ports.ts';
import { takeHeader } from './take-upto-header.ts';
import { uptoAnswer, uptoRefusal } from './upto-answer.ts';
import type { UptoPorts } from './upto-ports.ts';
import { isBinding, type UptoRead } from './upto-read.ts';

export type UptoSettleCall = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly asked: AskedSettlement;
  /** Null when the merchant relies on the confirmed authorization. */
  readonly encodedHeader: string | null;
  readonly requestId: string;
  readonly claim: IdempotencyClaim | null;
  /** The caller is over its rate limit: only an intent with a stored authorization is answered. */
  readonly limited: boolean;
};

export type UptoSettleResult =
  | { readonly ok: true; readonly response: UptoSettleResponse; readonly replayed: boolean }
  | { readonly ok: false; readonly code: ErrorCode; readonly moneyMoved?: 'unknown' };

export async function settleUpto(ports: UptoPorts, call: UptoSettleCall): Promise<UptoSettleResult> {
  const { caller, intentId, encodedHeader, claim } = call;
  const submitted = encodedHeader === null ? null : authorizationIn(decodePaymentHeader(encodedHeader));
  const read = await ports.loadUpto(caller, intentId, submitted);
  if (call.limited && (read?.stored ?? null) === null) return { ok: false, code: 'rate_limited' };
  if (read === undefined) return { ok: false, code: 'not_found' };
  if (claim !== null && (await ports.isKeyReused(caller, claim))) return { ok: false, code: 'idempotency_key_reused' };
  if (!read.intent.upto) return { ok: false, code: 'not_an_upto_intent' };
  if (encodedHeader === null || read.submittedIsStored) return settleStored(ports, call, submitted, read);
  if (isBinding(read.stored, read.intent.status, ports.clock.nowMs())) {
    return { ok: false, code: 'upto_already_confirmed' };
  }
  return settleWithHeader(ports, call, encodedHeader, submitted, read);
}

async function settleWithHeader(
  ports: UptoPorts,
  call: UptoSettleCall,
  encodedHeader: string,
  submitted: SubmittedAuthorization | null,
  read: UptoRead,
): Promise<UptoSettleResult> {
  const { caller, intentId, requestId, claim } = call;
  const header = { caller, intentId, encodedHeader, echo: null };
  const origin = { requestId, idempotencyKey: claim?.key ?? null };
  // No authorization is stored for an amount that is refused anyway.
  const taken = await takeHeader(ports, { ...header, origin }, read, ({ acceptance }) =>
    isWithinCap(settledAtomicAt(call.asked, acceptance.rate), acceptance.amount)
      ? undefined
      : 'settled_amount_out_of_range',
  );
  const after = await reload(ports, call, submitted);
  return taken.ok ? settleStored(ports, call, submitted, after) : refuse(after, taken.code);
}

async function settleStored(
  ports: UptoPorts,
  call: UptoSettleCall,
  submitted: SubmittedAuthorization | null,
  read: UptoRead,
): Promise<UptoSettleResult> {
  const { caller, intentId, requestId } = call;
  const { intent, stored, latest } = read;
  if (stored === null) return { ok: false, code: 'upto_not_confirmed' };
  const [acceptances, hourlyCaps] = await Promise.all([
    ports.loadAcceptances(caller, intentId),
    ports.findHourlyCaps(),
  ]);
  const acceptance = acceptances.find(
    ({ network, token }) => network === stored.network && sameAddress(token.address, stored.asset),
  );
  if (acceptance === undefined) throw new Error(`intent ${intentId} holds an authorization for what it never offered`);
  const settledAtomic = settledAtomicAt(call.asked, acceptance.rate);
  const setup = ports.networks.get(stored.network);
  const operated = setup !== undefined && sameAddress(setup.processor, stored.recipient);
  const judged = judgeSettlement(
    {
      intent,
      stored,
      payment: latest?.payment ?? null,
      processorVersion: operated ? setup.processorVersion : undefined,
      exceedsHourlyCap: exceedsHourlyCap(hourlyCaps, stored.network, stored.asset, settledAtomic),
    },
    settledAtomic,
    ports.clock.nowMs(),
  );
  if (judged.verdict === 'refused') return refuse(read, judged.code);
  if (judged.verdict === 'begun') return outcomeOf(ports, call, submitted, read, true);
  if (acceptance.payoutWithdrawn) return refuse(read, 'x402_temporarily_unavailable');

  const begun = await ports.beginUpto({ caller, intentId, settledAtomic, requestId });
  const after = await reload(ports, call, submitted);
  const { latest: now } = after;
  const isThere = now !== null && now.payment.id !== latest?.payment.id && now.payment.amount === settledAtomic;
  if (begun.ok || isThere) return outcomeOf(ports, call, submitted, after, false);
  if (begun.code !== 'service_unavailable') return refuse(after, begun.code);
  return { ok: false, code: begun.code, ...(begun.delivered && { moneyMoved: 'unknown' }) };
}

/** Waits for the result of the intent's current payment. */
async function outcomeOf(
  ports: UptoPorts,
  call: UptoSettleCall,
  submitted: SubmittedAuthorization | null,
  first: UptoRead,
  replayed: boolean,
): Promise<UptoSettleResult> {
  const { caller, intentId, claim } = call;
  if (claim !== null) await ports.bindKey(caller, claim, ports.clock.nowMs());
  const deadlineMs = ports.clock.nowMs() + ports.settleWaitMs;
  const payment = first.latest?.payment;
  if (payment === undefined) throw new Error(`intent ${intentId} was begun without a payment`);
  let read = first;
  if (payment.status === 'pending') ports.wakeLanes(payment.network);
  for (let looking = true; looking && read.latest?.payment.status === 'pending'; ) {
    const leftMs = deadlineMs - ports.clock.nowMs();
    if (leftMs <= 0) break;
    looking = await ports.awaitResult({ caller, intentId, paymentId: payment.id }, leftMs);
    read = await reload(ports, call, submitted);
  }
  // This call's payment failed, and another call has begun one with another amount.
  if (read.latest?.payment.amount !== payment.amount) return { ok: false, code: 'upto_already_settled' };
  return { ok: true, response: uptoAnswer(read), replayed };
}

function refuse(read: UptoRead, code: ErrorCode): UptoSettleResult {
  if (ERRORS[code].status !== 200) return { ok: false, code };
  return { ok: true, response: uptoRefusal(read, code), replayed: false };
}

async function reload(
  ports: UptoPorts,
  call: UptoSettleCall,
  submitted: SubmittedAuthorization | null,
): Promise<UptoRead> {
  const read = await ports.loadUpto(call.caller, call.intentId, submitted);
  if (read === undefined) throw new Error(`intent ${call.intentId} was read before and is no longer in the database`);
  return read;
}
