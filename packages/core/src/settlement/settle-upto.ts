// Settles an up-to payment with its final amount: load, store a new header, judge, replay, begin, wait. The rules are
// checked here for a precise answer, and again by settlement, the only writer. Once the settlement is begun, every answer
// is made from stored rows.
import type { UptoSettleResponse } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode } from '@svc-pay/protocol/errors';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { sameAddress } from '../token/address.ts';
import { exceedsHourlyCap } from '../token/hourly-caps.ts';
import { storeHeader, type UptoCommand } from './confirm-upto.ts';
import { judgeSettlement, type UptoVerdict } from './judge-upto-settlement.ts';
import { type AskedSettlement, settledAtomicAt } from './read-settled-amount.ts';
import { type AuthorizationSubmission, readAuthorization } from './read-submission.ts';
import { uptoAnswer, uptoRefusal } from './upto-answer.ts';
import type { UptoPorts } from './upto-ports.ts';
import { isBinding, type StoredAuthorization, type UptoRead } from './upto-read.ts';
import { waitForResult } from './wait-for-result.ts';

export type UptoSettleCall = UptoCommand & {
  readonly asked: AskedSettlement;
  /** Null when the merchant relies on the confirmed authorization. */
  readonly encodedHeader: string | null;
  /** The caller is over its rate limit: only an intent with a stored authorization is answered. */
  readonly limited: boolean;
};

export type UptoSettleResult =
  | { readonly ok: true; readonly response: UptoSettleResponse; readonly replayed: boolean }
  | { readonly ok: false; readonly code: ErrorCode; readonly moneyMoved?: 'unknown' };

export async function settleUpto(ports: UptoPorts, call: UptoSettleCall): Promise<UptoSettleResult> {
  const { caller, intentId, requestId, claim } = call;
  const submission = call.encodedHeader === null ? null : readAuthorization(call.encodedHeader, null);

  // Load
  let read = await ports.loadUpto(caller, intentId, submission?.payment ?? null);
  if (call.limited && (read?.stored ?? null) === null) return { ok: false, code: 'rate_limited' };
  if (read === undefined) return { ok: false, code: 'not_found' };
  if (claim !== null && (await ports.isKeyReused(caller, claim))) return { ok: false, code: 'idempotency_key_reused' };
  if (!read.intent.upto) return { ok: false, code: 'not_an_upto_intent' };

  // Store a header that was never confirmed
  if (submission !== null && !read.submittedIsStored) {
    if (isBinding(read.stored, read.intent.status, ports.clock.nowMs()))
      return { ok: false, code: 'upto_already_confirmed' };
    const outcome = await storeHeader(ports, call, submission, read, call.asked);
    read = await reload(ports, call, submission);
    if (!outcome.ok) return refuse(read, outcome.code);
  }

  // Judge
  if (read.stored === null) return { ok: false, code: 'upto_not_confirmed' };
  const { settledAtomic, verdict, payoutWithdrawn } = await judge(ports, call, read, read.stored);
  if (verdict.verdict === 'refused') return refuse(read, verdict.code);

  // Replay
  if (verdict.verdict === 'begun') return replyOfBegun(ports, call, submission, read, true);

  // Begin
  if (payoutWithdrawn) return refuse(read, 'x402_temporarily_unavailable');
  const begun = await ports.beginUpto({ caller, intentId, settledAtomic, requestId });
  const after = await reload(ports, call, submission);
  const payment = after.latest?.payment;
  const isThere = payment !== undefined && payment.id !== read.latest?.payment.id && payment.amount === settledAtomic;

  // Wait
  if (begun.ok || isThere) return replyOfBegun(ports, call, submission, after, false);
  if (begun.code !== 'service_unavailable') return refuse(after, begun.code);
  return { ok: false, code: begun.code, ...(begun.delivered && { moneyMoved: 'unknown' }) };
}

type Judged = {
  readonly settledAtomic: bigint;
  readonly verdict: UptoVerdict;
  /** The chain's registry contradicts the payout: nothing new is begun through it. */
  readonly payoutWithdrawn: boolean;
};

async function judge(
  ports: UptoPorts,
  { caller, intentId, asked }: UptoSettleCall,
  { intent, latest }: UptoRead,
  stored: StoredAuthorization,
): Promise<Judged> {
  const [acceptances, hourlyCaps] = await Promise.all([
    ports.loadAcceptances(caller, intentId),
    ports.findHourlyCaps(),
  ]);
  const acceptance = acceptances.find(
    ({ network, token }) => network === stored.network && sameAddress(token.address, stored.asset),
  );
  if (acceptance === undefined) throw new Error(`intent ${intentId} holds an authorization for what it never offered`);
  const settledAtomic = settledAtomicAt(asked, acceptance.rate);
  const setup = ports.networks.get(stored.network);
  const operated = setup !== undefined && sameAddress(setup.processor, stored.recipient);
  const situation = {
    intent,
    stored,
    payment: latest?.payment ?? null,
    processorVersion: operated ? setup.processorVersion : undefined,
    exceedsHourlyCap: exceedsHourlyCap(hourlyCaps, stored.network, stored.asset, settledAtomic),
  };
  return {
    settledAtomic,
    verdict: judgeSettlement(situation, settledAtomic, ports.clock.nowMs()),
    payoutWithdrawn: acceptance.payoutWithdrawn === true,
  };
}

/** Answers with the intent's current payment, after waiting for its result. */
async function replyOfBegun(
  ports: UptoPorts,
  call: UptoSettleCall,
  submission: AuthorizationSubmission | null,
  first: UptoRead,
  replayed: boolean,
): Promise<UptoSettleResult> {
  const { caller, intentId, claim } = call;
  if (claim !== null) await ports.bindKey(caller, claim, ports.clock.nowMs());
  const payment = first.latest?.payment;
  if (payment === undefined) throw new Error(`intent ${intentId} was begun without a payment`);
  const reading = { reload: () => reload(ports, call, submission), pendingIn };
  const read = pendingIn(first) === undefined ? first : await waitForResult(ports, call, payment, reading, first);
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
  { caller, intentId }: UptoSettleCall,
  submission: AuthorizationSubmission | null,
): Promise<UptoRead> {
  const read = await ports.loadUpto(caller, intentId, submission?.payment ?? null);
  if (read === undefined) throw new Error(`intent ${intentId} was read before and is no longer in the database`);
  return read;
}

const pendingIn = ({ latest }: UptoRead) =>
  latest?.payment.status === PAYMENT_STATUS.pending ? latest.payment : undefined;
