// A cap, paid by clients that know the service's own up-to flow: an intent with a cap, the payer's confirmation, and a settle
// of what the handler reports. No stock client can pay it: the official `upto` of x402 is another scheme.
import type { Usd } from '@svc-pay/money';
import { encodePaymentHeader, HEADER_X402_VERSION, type PaymentHeader } from '@svc-pay/protocol';
import type { X402SettleAnswer } from '@svc-pay/protocol/x402';
import type { CallFailure, SvcPay, UptoSettled } from '@svc-pay/server';
import type { NowMs } from '../clock.ts';
import type { SellerProblem } from '../facilitator/seller-options.ts';
import type { TellProblem } from '../facilitator/tell-problem.ts';
import { jsonAnswer, type RequestFacts } from './answer.ts';
import { dollarText } from './dollars.ts';
import { createOfferBudget } from './offer-budget.ts';
import type { OfferTags } from './offer-tag.ts';
import { IDENTIFIER_TAKEN } from './payment-identifier.ts';
import type { PresentedPayment } from './presented-payment.ts';
import { unavailableAnswer } from './unavailable-answer.ts';
import type { SettleOutcome, TakenPayment, WayToPay } from './way-to-pay.ts';

export type UptoTerms = {
  readonly capUsd: Usd;
  readonly tokenShortcode: string | undefined;
  readonly description: string | undefined;
  readonly mimeType: string | undefined;
  readonly maxTimeoutSeconds: number;
};

export type UptoDeps = {
  readonly svc: SvcPay;
  readonly tags: OfferTags;
  readonly nowMs: NowMs;
  readonly tell: TellProblem;
};

type Offer = { readonly paymentIntentId: string; readonly untilMs: number; readonly body: object };

const SHARED_MS = 5_000;
const MAX_OFFERS = 1_000;

export function uptoWay({ svc, tags, nowMs, tell }: UptoDeps, terms: UptoTerms): WayToPay {
  const { capUsd, tokenShortcode, description, mimeType, maxTimeoutSeconds } = terms;
  const cap = dollarText(capUsd);
  const tellFailed = (step: SellerProblem['step'], { code, message }: CallFailure) =>
    tell({ step, message: `${code}: ${message}` });
  const budget = createOfferBudget(nowMs);

  /** The newest of each method and path. */
  const offers = new Map<string, Offer>();
  const placeOf = ({ method, url }: RequestFacts) => `${method} ${new URL(url).pathname}`;
  function withdraw(place: string, paymentIntentId: string): void {
    if (offers.get(place)?.paymentIntentId === paymentIntentId) offers.delete(place);
  }

  const release = async (paymentIntentId: string) => {
    const released = await svc.upto.release({ paymentIntentId });
    // The cap ends by itself, with the payer's authorization.
    if (!released.ok) tellFailed('release', released);
  };
  return {
    challenge: async (facts, error = '') => {
      const { method, url } = facts;
      if (!budget.take()) {
        const shared = offers.get(placeOf(facts));
        if (shared !== undefined && shared.untilMs > nowMs()) return jsonAnswer(402, { ...shared.body, error });
        tell({ step: 'challenge', message: 'More visitors without a payment than intents are made for.' });
        return unavailableAnswer();
      }
      const created = await svc.intents.create({
        usdAmount: cap,
        x402Upto: true,
        maxTimeoutSeconds,
        resource: new URL(url).pathname,
        ...(tokenShortcode !== undefined && { tokenShortcode }),
        ...(description !== undefined && { description }),
        ...(mimeType !== undefined && { mimeType }),
      });
      if (!created.ok || created.kind === 'fallback') {
        if (!created.ok) tellFailed('challenge', created);
        return unavailableAnswer();
      }
      const { paymentIntentId, paymentRequired } = created;
      const offer = await tags.tagOf({ paymentIntentId, method, url, cap });
      const accepts = paymentRequired.accepts.map((acceptance) => ({
        ...acceptance,
        // So that the acceptance can be repeated as `accepted` of a payment of version 2.
        amount: acceptance.maxAmountRequired,
        extra: { ...acceptance.extra, intentId: paymentIntentId, offer },
      }));
      const body = { ...paymentRequired, accepts, extensions: IDENTIFIER_TAKEN };
      if (offers.size >= MAX_OFFERS) offers.clear();
      offers.set(placeOf(facts), { paymentIntentId, untilMs: nowMs() + SHARED_MS, body });
      return jsonAnswer(402, { ...body, error });
    },
    take: async (facts, presented) => {
      const { method, url } = facts;
      const { intentId, offer } = presented.payment.accepted?.extra ?? {};
      const isOurs =
        presented.payment.scheme === 'upto' &&
        typeof intentId === 'string' &&
        typeof offer === 'string' &&
        (await tags.isTagOf({ paymentIntentId: intentId, method, url, cap }, offer));
      if (!isOurs) return invalid('The payment repeats no acceptance that this route offered, in `accepted`.');
      if (leftSeconds(presented, nowMs()) < Math.min(maxTimeoutSeconds, LONGEST_USUAL_SECONDS) / 2)
        return invalid('The signature must be valid for another half of maxTimeoutSeconds, 300 seconds at most.');
      const confirmed = await svc.upto.confirm({ paymentIntentId: intentId, paymentHeader: headerOf(presented) });
      if (!confirmed.ok) {
        tellFailed('confirm', confirmed);
        return refusalOf(confirmed);
      }
      withdraw(placeOf(facts), intentId);
      // Whoever confirmed first runs the handler.
      if (confirmed.confirmation.alreadyConfirmed) return { ok: false, reason: 'in_use', message: '' };
      return {
        ok: true,
        capUsd,
        settle: async (chargeUsd = capUsd) =>
          outcomeOf(
            await svc.upto.settle({ paymentIntentId: intentId, settledAmountUsd: dollarText(chargeUsd) }),
            presented,
          ),
        release: () => release(intentId),
      };
    },
  };
}

/** A handler runs between confirm and settle, which refuses a signature that ends meanwhile. Our agent signs ten minutes. */
const LONGEST_USUAL_SECONDS = 600;
function leftSeconds({ payment: { payload } }: PresentedPayment, nowMs: number): number {
  return 'authorization' in payload ? Number(payload.authorization.validBefore) - nowMs / 1_000 : 0;
}

const invalid = (message: string): TakenPayment => ({ ok: false, reason: 'invalid', message });

function refusalOf({ code, message, retryable }: CallFailure): TakenPayment {
  if (code === 'upto_already_confirmed') return { ok: false, reason: 'in_use', message };
  return retryable ? { ok: false, reason: 'unavailable', message } : invalid(`${code}: ${message}`);
}

/** The payment as the interface writes its header. */
function headerOf({ payment: { scheme, network, payload } }: PresentedPayment): string {
  return encodePaymentHeader({ x402Version: HEADER_X402_VERSION, scheme, network, payload } as PaymentHeader);
}

function outcomeOf(settled: UptoSettled | CallFailure, { payment }: PresentedPayment): SettleOutcome {
  const { network } = payment;
  if (!settled.ok) {
    const { code, message, moneyMoved } = settled;
    const receipt: X402SettleAnswer = {
      success: false,
      transaction: '',
      network,
      errorReason: code,
      errorMessage: message,
    };
    if (code === 'upto_already_settled') return { status: 'in_use', receipt };
    return { status: moneyMoved === 'no' ? 'failed' : 'pending', receipt };
  }
  const { status, transactionId, settledAmount } = settled.settlement;
  const isPaid = status === 'succeeded' || status === 'completed';
  const receipt: X402SettleAnswer = {
    success: isPaid,
    transaction: transactionId ?? '',
    network,
    amount: settledAmount,
    ...(!isPaid && { errorReason: 'settlement_pending' }),
  };
  return { status: isPaid ? 'paid' : 'pending', receipt };
}
