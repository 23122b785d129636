// What the service answers when it is asked for an intent: acceptances, or the advice to pay another way.
import { type Acceptance, acceptance } from '@svc-pay/protocol';
import { fieldsOf, textIn } from './fields.ts';
import { readSituation, type Situation } from './read-situation.ts';

export type Offered = {
  /** As the rules of the wire read it. */
  readonly acceptance: Acceptance;
  /** As it came: this goes back with the signed header. */
  readonly echo: Acceptance;
};

export type IntentAnswer =
  | { readonly kind: 'offered'; readonly paymentIntentId: string; readonly offers: readonly Offered[] }
  | { readonly kind: 'fallback'; readonly paymentIntentId: string | null; readonly reason: string };

/** Acceptances that can't be read are left out; an answer that names no intent is no answer. */
export function readIntentAnswer(status: number, body: unknown): IntentAnswer | undefined {
  const fields = fieldsOf(body);
  if (fields === undefined || (status !== 402 && status !== 200)) return undefined;
  const paymentIntentId = textIn(fields, 'paymentIntentId');
  const accepts = Array.isArray(fields['accepts']) ? fields['accepts'] : [];
  if (fields['fallbackSuggested'] === true || (status === 402 && accepts.length === 0)) {
    const reason = textIn(fields, 'error') ?? 'x402_not_available_for_token';
    return { kind: 'fallback', paymentIntentId: paymentIntentId ?? null, reason };
  }
  if (status !== 402 || paymentIntentId === undefined) return undefined;
  return { kind: 'offered', paymentIntentId, offers: accepts.flatMap(readOffer) };
}

export type OfferAnswer =
  | IntentAnswer
  /** Nothing is to be signed: how the intent stands. */
  | { readonly kind: 'stands'; readonly paymentIntentId: string; readonly situation: Situation };

/** What the service answers when it is asked what may be signed for an intent that exists. */
export function readOfferAnswer(status: number, body: unknown, paymentIntentId: string): OfferAnswer | undefined {
  const situation = status === 200 ? readSituation(body, paymentIntentId) : undefined;
  if (situation !== undefined) return { kind: 'stands', paymentIntentId, situation };
  const answer = status === 402 ? readIntentAnswer(status, body) : undefined;
  if (answer?.paymentIntentId !== paymentIntentId) return undefined;
  return answer.kind === 'offered' ? { ...answer, offers: answer.offers.map(withoutTransaction) } : answer;
}

/** A transaction lives for about a minute, and nobody knows how old this one is: another is prepared. */
function withoutTransaction({ acceptance: { extra, ...rest }, echo }: Offered): Offered {
  if (extra === undefined) return { acceptance: rest, echo };
  const { transactionBase64: _, ...others } = extra;
  return { acceptance: { ...rest, extra: others }, echo };
}

function readOffer(came: unknown): readonly Offered[] {
  const read = acceptance.safeParse(withoutNulls(came));
  return read.success ? [{ acceptance: read.data, echo: came as Acceptance }] : [];
}

/** Null counts as absent, on both levels of an acceptance. */
function withoutNulls(value: unknown): unknown {
  const fields = fieldsOf(value);
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [name, name === 'extra' ? withoutNulls(field) : field]),
  );
}
