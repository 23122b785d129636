// Decides whether an up-to intent may be settled with this amount. The API asks before it calls settlement; settlement
// asks again under the intent's lock, and only that answer starts a payment.

import type { Intent } from '../intent/intent.ts';
import { INTENT_STATUS } from '../intent/intent-transitions.ts';
import { settlesUpto } from '../intent/offer.ts';
import type { StoredPayment } from '../payment/payment.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { isUsable, type StoredAuthorization } from './upto-read.ts';

export type UptoSituation = {
  readonly intent: Intent;
  /** The intent's latest payment. */
  readonly payment: StoredPayment | null;
  readonly stored: StoredAuthorization | null;
  /** Version of the processor that the authorization pays; undefined when we do not operate that processor. */
  readonly processorVersion: string | undefined;
  /** The amount is above the processor's hourly cap for this token. */
  readonly exceedsHourlyCap?: boolean;
};

export type UptoRefusal =
  | 'not_an_upto_intent'
  | 'upto_not_confirmed'
  | 'settled_amount_out_of_range'
  | 'upto_already_settled'
  | 'x402_upto_not_available'
  | 'x402_temporarily_unavailable'
  | 'authorization_expired'
  | 'intent_not_payable';

export type UptoVerdict =
  | { readonly verdict: 'begin'; readonly stored: StoredAuthorization }
  /** The settlement was begun before with the same amount: that result stands. */
  | { readonly verdict: 'begun'; readonly payment: StoredPayment }
  | { readonly verdict: 'refused'; readonly code: UptoRefusal };

export function judgeSettlement(situation: UptoSituation, settledAtomic: bigint, nowMs: number): UptoVerdict {
  const { intent, payment, stored, processorVersion } = situation;
  const refused = (code: UptoRefusal): UptoVerdict => ({ verdict: 'refused', code });
  if (!intent.upto) return refused('not_an_upto_intent');
  if (stored === null) return refused('upto_not_confirmed');
  if (!isWithinCap(settledAtomic, stored.cap)) return refused('settled_amount_out_of_range');
  if (payment !== null && !isOver(payment)) {
    return payment.amount === settledAtomic ? { verdict: 'begun', payment } : refused('upto_already_settled');
  }
  if (processorVersion === undefined || !settlesUpto(processorVersion)) return refused('x402_upto_not_available');
  if (!isUsable(stored, nowMs)) return refused('authorization_expired');
  if (intent.status !== INTENT_STATUS.requires_payment) return refused('intent_not_payable');
  if (situation.exceedsHourlyCap === true) return refused('x402_temporarily_unavailable');
  return { verdict: 'begin', stored };
}

export function isWithinCap(settledAtomic: bigint, capAtomic: bigint): boolean {
  return settledAtomic > 0n && settledAtomic <= capAtomic;
}

/** No money moved and none will: the authorization may be tried again. */
const isOver = ({ status }: StoredPayment) => status === PAYMENT_STATUS.failed || status === PAYMENT_STATUS.canceled;
