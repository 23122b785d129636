// What the checkout page of an intent shows, from stored rows. Decides, and writes no HTML.
import {
  askedDollars,
  explorerUrlOf,
  findChain,
  findToken,
  findTokenOf,
  hasPriceEnded,
  INTENT_STATUS,
  type Intent,
  isConfirmed,
  isPayable,
  PAYMENT_STATUS,
  type PaidTerms,
  type PaymentProgress,
  remainingOf,
  type StoredAcceptance,
  type StoredPayment,
} from '@svc-pay/core';
import { atomicAmount } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { showToken, showUsd } from './print-amounts.ts';

/**
 * `open`: may be paid, also after a part of the amount arrived. `settling`: a payment is under way. `authorized`: the merchant may
 * charge a confirmed cap. `expired`: its time is over, and a payment on chain may still turn up. `ended`: was canceled, or has
 * expired and nobody paid it. `no_way`: none of its ways to pay is open, if it ever had one. `unpaid`: the last payment failed and
 * the intent has expired. `mismatch`: more than the asked amount arrived, or another amount and nothing can be paid now.
 */
export type CheckoutState =
  | 'open'
  | 'settling'
  | 'paid'
  | 'authorized'
  | 'expired'
  | 'ended'
  | 'no_way'
  | 'unpaid'
  | 'mismatch';

export type CheckoutView = {
  readonly state: CheckoutState;
  readonly intent: Intent;
  readonly merchant: string;
  /** What is asked for; of an up-to intent that is paid, what was charged. */
  readonly amount: string;
  /** What the merchant's server wrote about it. A publishable key is public, and its words are not the merchant's. */
  readonly description: string;
  readonly ways: readonly ShownWay[];
  /** The last attempt failed, and the intent may be paid again. */
  readonly hasFailed: boolean;
  /** Another amount than the asked one arrived. Of an intent that is open the payer hears of it, and may pay the whole. */
  readonly isMismatched: boolean;
  /** Parts of the amount that arrived and count; null where there are none, or nothing can be paid now. */
  readonly parts: ShownParts | null;
  readonly transfer: ShownTransfer | null;
  readonly expiresInMs: number;
};

export type ShownWay = {
  readonly tokenShortcode: string;
  readonly amount: string;
  /** What a transaction of the payer's own pays: the rest, where parts of the amount arrived. */
  readonly rest: string;
  readonly network: NetworkId;
  readonly networkName: string;
  /** The payer signs, and pays no network fee. Otherwise he sends the payment himself. */
  readonly isSigned: boolean;
  /** A wallet app may fetch a transaction for it. Of others that nobody signs, the button has the payer send them. */
  readonly isRequested: boolean;
};

type ShownParts = { readonly paid: string; readonly whole: string; readonly rest: string };

/** The payment that is under way, has paid, or was of another amount. */
export type ShownTransfer = {
  readonly amount: string | null;
  readonly networkName: string;
  readonly transactionId: string | null;
  readonly explorerUrl: string | null;
  readonly completedAtMs: number | null;
};

export type CheckoutFacts = {
  readonly intent: Intent;
  readonly latest: PaymentProgress | null;
  /** What may be signed; needed while the intent may be paid. */
  readonly acceptances: readonly StoredAcceptance[];
  /** What money is attributed to, also what nobody can sign here; needed likewise. */
  readonly payable: readonly PaidTerms[];
  /** By position of the acceptance, what was paid in parts and not given back. */
  readonly parts: ReadonlyMap<number, bigint>;
  /** Whether wallet apps may fetch a transaction on the network. */
  readonly takesRequests: (network: NetworkId) => boolean;
  readonly merchant: string;
  readonly nowMs: number;
};

export function checkoutView(facts: CheckoutFacts): CheckoutView {
  const { intent, latest, acceptances, payable, parts, takesRequests, merchant, nowMs } = facts;
  const signed = new Set(acceptances.map(({ position }) => position));
  const ways = payable
    .filter((terms) => !hasPriceEnded(terms, nowMs) && terms.payoutWithdrawn !== true)
    .flatMap((terms) => {
      const remaining = remainingOf(terms, parts);
      return remaining === undefined ? [] : [{ ...terms, remaining }];
    })
    .map(({ token, amount, network, position, scheme, remaining }) => ({
      tokenShortcode: token.shortcode,
      amount: showToken(token, amount),
      rest: showToken(token, remaining.amount),
      network,
      networkName: networkNameOf(network),
      isSigned: signed.has(position),
      isRequested: takesRequests(network) && scheme === 'exact',
    }))
    .filter(({ isSigned, isRequested, network }) => isSigned || isRequested || !takesRequests(network));
  const state = stateOf(facts, ways.length > 0);
  const isMismatched = intent.status === INTENT_STATUS.mismatched;
  const isShown =
    state === 'settling' || state === 'paid' || (isMismatched && latest?.payment.status !== PAYMENT_STATUS.failed);
  const transfer = isShown && latest !== null ? transferOf(latest) : null;
  return {
    state,
    intent,
    merchant,
    amount: (state === 'paid' && intent.upto ? transfer?.amount : null) ?? askedAmount(intent, state),
    description: intent.createdWith === 'secret' ? (intent.description ?? '') : '',
    ways: state === 'open' ? ways : [],
    hasFailed: state === 'open' && latest?.payment.status === PAYMENT_STATUS.failed,
    isMismatched,
    parts: state === 'open' ? partsOf(payable, parts) : null,
    transfer,
    expiresInMs: Math.max(0, intent.expiresAtMs - nowMs),
  };
}

/** Of the first way that was paid in part: parts count within one token. */
function partsOf(payable: readonly PaidTerms[], parts: ReadonlyMap<number, bigint>): ShownParts | null {
  for (const terms of payable) {
    const { amount, paid } = remainingOf(terms, parts) ?? { amount: terms.amount, paid: 0n };
    if (paid > 0n) {
      const show = (shown: PaidTerms['amount']) => showToken(terms.token, shown);
      return { paid: show(atomicAmount(paid)), whole: show(terms.amount), rest: show(amount) };
    }
  }
  return null;
}

const STATES: Readonly<Record<Intent['status'], CheckoutState>> = {
  [INTENT_STATUS.requires_payment]: 'open',
  [INTENT_STATUS.processing]: 'settling',
  [INTENT_STATUS.completed]: 'paid',
  [INTENT_STATUS.mismatched]: 'mismatch',
  [INTENT_STATUS.failed]: 'unpaid',
  [INTENT_STATUS.canceled]: 'ended',
};

function stateOf({ intent, latest, nowMs }: CheckoutFacts, hasWays: boolean): CheckoutState {
  const state = STATES[intent.status];
  // Anybody may send a part of the amount, and must not close the page to the payer by it. Who sent more has paid enough.
  if (state === 'mismatch')
    return hasWays && isPayable(intent, nowMs) && !isConfirmed(intent) && !isOverpaid(latest) ? 'open' : state;
  if (state !== 'open') return state;
  if (!isPayable(intent, nowMs)) return 'expired';
  if (isConfirmed(intent)) return 'authorized';
  return hasWays ? 'open' : 'no_way';
}

function isOverpaid(latest: PaymentProgress | null): boolean {
  if (latest === null) return false;
  const { amount, paidAmount } = latest.payment;
  return paidAmount !== null && paidAmount > amount;
}

/** Of a cap that is confirmed, the tokens that were signed: their price may move until the merchant charges. */
function askedAmount(intent: Intent, state: CheckoutState): string {
  const { amount, tokenShortcode } = intent;
  const dollars = state === 'authorized' ? null : askedDollars(intent);
  if (dollars !== null) return showUsd(dollars);
  const token = findToken(tokenShortcode);
  return token === undefined ? '' : showToken(token, amount);
}

function transferOf({ payment }: PaymentProgress): ShownTransfer {
  const { transactionId } = payment;
  return {
    amount: amountOf(payment),
    networkName: networkNameOf(payment.network),
    transactionId,
    explorerUrl: explorerUrlOf(payment.network, transactionId),
    completedAtMs: payment.completedAtMs,
  };
}

function amountOf({ network, asset, amount, paidAmount }: StoredPayment): string | null {
  const token = findTokenOf(network, asset);
  return token === undefined ? null : showToken(token, paidAmount ?? amount);
}

const networkNameOf = (network: NetworkId): string => findChain(network)?.name ?? network;
