// Whether an up-to intent may be settled with this amount. The API asks before it calls settlement; settlement asks again,
// by itself and under the intent's lock, and only that answer moves anything.

import type { Intent } from '../intent/intent.ts';
import { settlesUpto } from '../intent/offer.ts';
import type { Payment } from '../payment/payment.ts';
import { isUsable, type StoredAuthorization } from './upto-read.ts';

export type UptoSituation = {
  readonly intent: Intent;
  /** The intent's latest payment. */
  readonly payment: Payment | null;
  readonly stored: StoredAuthorization | null;
  /** Of the processor that the authorization pays; undefined when it is not the one that is operated. */
  readonly processorVersion: string | undefined;
};

export type UptoRefusal =
  | 'not_an_upto_intent'
  | 'upto_not_confirmed'
  | 'settled_amount_out_of_range'
  | 'upto_already_settled'
  | 'x402_upto_not_available'
  | 'authorization_expired'
  | 'intent_not_payable';

export type UptoVerdict =
  | { readonly verdict: 'begin'; readonly stored: StoredAuthorization }
  /** It was begun before with this very amount: that result stands. */
  | { readonly verdict: 'begun'; readonly payment: Payment }
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
  if (intent.status !== 'requires_payment') return refused('intent_not_payable');
  return { verdict: 'begin', stored };
}

export function isWithinCap(settledAtomic: bigint, capAtomic: bigint): boolean {
  return settledAtomic > 0n && settledAtomic <= capAtomic;
}

/** Nothing moved and nothing will: the authorization may be tried again. */
const isOver = ({ status }: Payment) => status === 'failed' || status === 'canceled';
