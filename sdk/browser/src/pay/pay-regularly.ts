// The regular flow: the payer sends the money himself, and the service finds it on the chain. It follows an attempt by X402
// that has failed and was told so, for the same intent, and is an attempt of its own.
import { askedBy } from '../check/asked.ts';
import { differenceFrom } from '../check/check-acceptance.ts';
import type { IntentToPay, PaymentRequest } from '../check/payment-request.ts';
import { readEvmOption, regularAcceptance, wholeOf } from '../check/regular-acceptance.ts';
import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { readRegular } from '../read/read-regular.ts';
import { readSituation, type Situation } from '../read/read-situation.ts';
import { unlessReverted } from '../wait/unless-reverted.ts';
import { speaksOf, waitForEnd } from '../wait/wait-for-end.ts';
import type { RegularCall, RegularPayment } from '../wallet.ts';
import { awaitOther } from './await-other.ts';
import type { PaymentResult } from './conclude.ts';
import { TYPED_DATA_UNSUPPORTED } from './fallback-rule.ts';
import { type CallOptions, type ClientDeps, signalOf } from './parts.ts';
import { askRepeatedly } from './request-intent.ts';
import { runAttempt } from './run-attempt.ts';

/** Why X402 did not pay the intent. */
export type Fallback = { readonly problem: SvcPayError; readonly paymentIntentId: string | null };

type Requested = { readonly request: PaymentRequest | IntentToPay; readonly options: CallOptions };

/** Time that a transaction takes into a block: what arrives after the offer's end does not pay the intent. */
const LAST_SECONDS = 60;
/** A wallet that was asked to send may do so for some minutes, and its block takes up to half an hour to be final. After a reload only. */
const ASKED_MS = 2_100_000;
/** A transaction that was sent may wait for a block for days, where its fee is too low. */
const SENT_MS = 7 * 86_400_000;

/** Throws `regular_flow_unavailable` where the service or the wallet knows no such way to pay. */
export async function payRegularly(
  deps: ClientDeps,
  first: Attempt,
  { problem, paymentIntentId }: Fallback,
  { request, options }: Requested,
): Promise<PaymentResult> {
  const { wallet } = deps;
  const signal = signalOf(options);
  first.failed(withAttempt(problem, { paymentIntentId, attemptId: first.attemptId }));
  const unavailable = (cause?: unknown) => new SvcPayError('regular_flow_unavailable', { reason: problem.code, cause });
  if (paymentIntentId === null || wallet?.payRegularly === undefined) throw unavailable();
  const { answer, nowSeconds } = await askRepeatedly(
    deps,
    () => deps.service.getRegular(paymentIntentId, signal),
    (status, body) => readRegular(status, body, paymentIntentId),
    signal,
  ).catch((refusal: unknown) => {
    throw refusal instanceof SvcPayError && refusal.code === 'not_found' ? unavailable(refusal) : refusal;
  });
  const { regular, situation, intentCode } = answer;
  const signsTypedData = problem.code !== TYPED_DATA_UNSUPPORTED;
  const known = regular
    .flatMap((came) => (wallet.readRegular ?? readEvmOption)(came) ?? [])
    .filter(({ kind }) => kind !== 'evm_authorization' || signsTypedData);
  if (known.length === 0 && isOpen(situation)) throw unavailable();

  const keep = (forMs: number) =>
    deps.sent.save(paymentIntentId, { untilMs: deps.ports.nowMs() + forMs, isTransaction: true });
  const attempt = deps.beginRegular();
  const pay = wallet.payRegularly;
  return runAttempt(attempt, async () => {
    attempt.created({ paymentIntentId, status: situation.status });
    if (known.length === 0) return awaitOther(deps, attempt, { situation, paymentIntentId }, options);
    const asked = askedBy(request, 'exact', deps.payTo);
    const windowSeconds = asked.maxTimeoutSeconds;
    const differences = known.map((one) =>
      differenceFrom(asked, regularAcceptance(wholeOf(one), windowSeconds), paymentIntentId),
    );
    const fitting = known.filter((_, index) => differences[index] === undefined);
    if (fitting.length === 0) throw new SvcPayError('acceptance_refused', { reason: differences[0] ?? null });
    /** How the intent stood right before the wallet was asked to send. */
    let before = situation;
    const call: RegularCall = {
      ports: deps.ports,
      signal,
      walletTimeoutMs: deps.walletTimeoutMs,
      nowSeconds,
      paymentIntentId,
      intentCode,
      windowSeconds,
      signsTypedData,
      async beforePay({ expiresAt, ...terms }) {
        attempt.updated(terms);
        before = await assertOpen(deps, paymentIntentId, signal);
        if (Date.parse(expiresAt) / 1_000 < nowSeconds() + LAST_SECONDS)
          throw new SvcPayError('intent_not_payable', { reason: 'expiresAt' });
        keep(ASKED_MS);
      },
    };
    const sent = await pay(fitting, call);
    if (sent.transactionId !== null) keep(SENT_MS);
    attempt.updated({ transactionId: sent.transactionId, moneyMoved: 'unknown' });
    return waitForSent(deps, attempt, { sent, paymentIntentId, before }, options);
  }).catch((end: unknown) => {
    if (end instanceof SvcPayError && end.moneyMoved !== 'unknown') deps.sent.forget(paymentIntentId);
    throw end;
  });
}

/** Unpaid, or paid in part. */
const isOpen = ({ status }: Situation): boolean => status === 'requires_payment' || status === 'mismatched';

/** Throws `intent_not_payable` where the intent was paid, or ended, while the payer was at his wallet. */
async function assertOpen(deps: ClientDeps, paymentIntentId: string, signal: AbortSignal): Promise<Situation> {
  const { answer } = await askRepeatedly(
    deps,
    () => deps.service.notify(paymentIntentId, signal),
    (status, body) => (status === 200 ? readSituation(body, paymentIntentId) : undefined),
    signal,
  );
  if (!isOpen(answer)) throw new SvcPayError('intent_not_payable', { reason: answer.status });
  return answer;
}

type Sent = { readonly sent: RegularPayment; readonly paymentIntentId: string; readonly before: Situation };

/** The service's word is the end. */
function waitForSent(
  deps: ClientDeps,
  attempt: Attempt,
  { sent, paymentIntentId, before }: Sent,
  options: CallOptions,
): Promise<PaymentResult> {
  const { transactionId } = sent;
  return unlessReverted(signalOf(options), sent.reverted, (signal) => {
    if (transactionId !== null) void deps.service.announce(paymentIntentId, transactionId, signal);
    const waiting = { signal, timeoutMs: options.timeoutMs ?? deps.regularTimeoutMs };
    // A payment that was told before the money was sent is not this one.
    const endsOnMismatch =
      transactionId === null
        ? (heard: Situation) => heard.transactionId !== before.transactionId
        : speaksOf(transactionId);
    return waitForEnd(deps, attempt, { paymentIntentId, wasSent: true, endsOnMismatch }, waiting);
  });
}
