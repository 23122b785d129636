// What the service answers when it is asked for an intent: acceptances, or the advice to pay another way.
import { type Acceptance, acceptance } from '@svc-pay/protocol';
import { fieldsOf, textIn } from './fields.ts';

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
