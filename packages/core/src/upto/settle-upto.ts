// Settling an up-to payment with its final amount. Every rule is asked here to answer well, and asked again by settlement,
// which alone begins it; from then on the answer is made of rows, whoever asks and however often.
import { decodePaymentHeader, type UptoSettleResponse } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import { authorizationIn } from '../settle/settle-payment.ts';
import type { SentAuthorization } from '../settle/settle-ports.ts';
import { sameAddress } from '../token/same-address.ts';
import { isWithinCap, judgeSettlement } from './judge-settlement.ts';
import { type AskedSettlement, settledAtomicAt } from './read-settled-amount.ts';
import { takeHeader } from './take-header.ts';
import { uptoAnswer, uptoRefusal } from './upto-answer.ts';
import type { UptoPorts } from './upto-ports.ts';
import { isBinding, type UptoRead } from './upto-read.ts';

export type UptoSettleCall = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly asked: AskedSettlement;
  /** Null when the merchant relies on the one that was confirmed. */
  readonly encodedHeader: string | null;
  readonly requestId: string;
  readonly claim: IdempotencyClaim | null;
  /** Over its rate limit: only what has an authorization stored is answered. */
  readonly limited: boolean;
};

export type UptoSettled =
  | { readonly ok: true; readonly response: UptoSettleResponse; readonly replayed: boolean }
  | { readonly ok: false; readonly code: ErrorCode; readonly moneyMoved?: 'unknown' };

export async function settleUpto(ports: UptoPorts, call: UptoSettleCall): Promise<UptoSettled> {
  const { caller, intentId, encodedHeader, claim } = call;
  const sent = encodedHeader === null ? null : authorizationIn(decodePaymentHeader(encodedHeader));
  const read = await ports.loadUpto(caller, intentId, sent);
  if (call.limited && (read?.stored ?? null) === null) return { ok: false, code: 'rate_limited' };
  if (read === undefined) return { ok: false, code: 'not_found' };
  if (claim !== null && (await ports.isKeyReused(caller, claim))) return { ok: false, code: 'idempotency_key_reused' };
  if (!read.intent.upto) return { ok: false, code: 'not_an_upto_intent' };
  if (encodedHeader === null || read.sentIsStored) return settleStored(ports, call, sent, read);
  if (isBinding(read.stored, read.intent.status, ports.clock.nowMs())) {
    return { ok: false, code: 'upto_already_confirmed' };
  }
  return settleWithHeader(ports, call, encodedHeader, sent, read);
}

async function settleWithHeader(
  ports: UptoPorts,
  call: UptoSettleCall,
  encodedHeader: string,
  sent: SentAuthorization | null,
  read: UptoRead,
): Promise<UptoSettled> {
  const { caller, intentId, requestId, claim } = call;
  const header = { caller, intentId, encodedHeader, echo: null };
  const origin = { requestId, idempotencyKey: claim?.key ?? null };
  // A signature is not kept for an amount that is refused anyway.
  const taken = await takeHeader(ports, { ...header, origin }, read, ({ acceptance }) =>
    isWithinCap(settledAtomicAt(call.asked, acceptance.rate), acceptance.amount)
      ? undefined
      : 'settled_amount_out_of_range',
  );
  const after = await reload(ports, call, sent);
  return taken.ok ? settleStored(ports, call, sent, after) : refuse(after, taken.code);
}

async function settleStored(
  ports: UptoPorts,
  call: UptoSettleCall,
  sent: SentAuthorization | null,
  read: UptoRead,
): Promise<UptoSettled> {
  const { caller, intentId, requestId } = call;
  const { intent, stored, latest } = read;
  if (stored === null) return { ok: false, code: 'upto_not_confirmed' };
  const acceptance = (await ports.loadAcceptances(caller, intentId)).find(
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
    },
    settledAtomic,
    ports.clock.nowMs(),
  );
  if (judged.verdict === 'refused') return refuse(read, judged.code);
  if (judged.verdict === 'begun') return outcomeOf(ports, call, sent, read, true);

  const begun = await ports.beginUpto({ caller, intentId, settledAtomic, requestId });
  const after = await reload(ports, call, sent);
  const { latest: now } = after;
  const isThere = now !== null && now.payment.id !== latest?.payment.id && now.payment.amount === settledAtomic;
  if (begun.ok || isThere) return outcomeOf(ports, call, sent, after, false);
  if (begun.code !== 'service_unavailable') return refuse(after, begun.code);
  return { ok: false, code: begun.code, ...(begun.sent && { moneyMoved: 'unknown' }) };
}

/** Waits for the end of the payment that holds the intent now. */
async function outcomeOf(
  ports: UptoPorts,
  call: UptoSettleCall,
  sent: SentAuthorization | null,
  first: UptoRead,
  replayed: boolean,
): Promise<UptoSettled> {
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
    looking = await ports.awaitEnd({ caller, intentId, paymentId: payment.id }, leftMs);
    read = await reload(ports, call, sent);
  }
  // Ours failed, and meanwhile somebody tried again with another amount.
  if (read.latest?.payment.amount !== payment.amount) return { ok: false, code: 'upto_already_settled' };
  return { ok: true, response: uptoAnswer(read), replayed };
}

function refuse(read: UptoRead, code: ErrorCode): UptoSettled {
  if (ERRORS[code].status !== 200) return { ok: false, code };
  return { ok: true, response: uptoRefusal(read, code), replayed: false };
}

async function reload(ports: UptoPorts, call: UptoSettleCall, sent: SentAuthorization | null): Promise<UptoRead> {
  const read = await ports.loadUpto(call.caller, call.intentId, sent);
  if (read === undefined) throw new Error('an intent is gone');
  return read;
}
