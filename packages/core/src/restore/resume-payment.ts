// Decides how a payment is resumed whose intent exists and whose claim was lost: claim, authorization and payment are
// written as they were when the header was submitted, with the usual events.
import type { NetworkId } from '@svc-pay/protocol';
import type { Intent } from '../intent/intent.ts';
import { INTENT_STATUS, PAYABLE_INTENT } from '../intent/intent-transitions.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { nonceBinding } from '../payment/bound-terms.ts';
import { draftEvents, eventsFor, type Snapshot } from '../payment/payment-events.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { confirmIntent } from '../settlement/confirm-intent.ts';
import { OPEN_SETTLEMENT, type OpenSettlement } from '../settlement/settlement-transitions.ts';
import { sameAddress } from '../token/address.ts';
import type { RestoredRows } from './restored-rows.ts';

export type ResumeFacts = {
  readonly network: NetworkId;
  readonly carried: RestoredRows['carried'];
  readonly batchId: string;
  readonly acceptances: readonly StoredAcceptance[];
  /** The intent and its latest payment; undefined when the intent is gone. */
  readonly found: (Snapshot & { readonly eventSequence: number }) | undefined;
  /** Status of the settlement of that payment. */
  readonly settlement: string | undefined;
  readonly nowMs: number;
};

export type ResumeStep =
  /**
   * The intent's pending payment, whose settlement is `from`, fails as `intent_not_payable`. Then the facts are loaded
   * and decided again.
   */
  | { readonly step: 'fail_other'; readonly from: OpenSettlement }
  | { readonly step: 'write'; readonly rows: RestoredRows }
  | { readonly step: 'refuse'; readonly reason: string };

/** A failed intent has expired; that the chain settled it counts for more. */
const RESUMABLE = [...PAYABLE_INTENT, INTENT_STATUS.failed];

export function resumePayment(facts: ResumeFacts): ResumeStep {
  const { carried, batchId, found, nowMs } = facts;
  const acceptance = facts.acceptances.find((offered) => isOffered(offered, facts));
  if (acceptance === undefined) return { step: 'refuse', reason: 'its intent never offered these terms' };
  if (found === undefined) return { step: 'refuse', reason: 'its intent is gone' };
  const { intent, payment, eventSequence } = found;
  // The code behind a direct call is its sender's word; a bound nonce is the payer's.
  if (carried.direct && nonceBinding(carried.nonce, intent, acceptance) === 'foreign')
    return { step: 'refuse', reason: 'its nonce is bound to other terms' };
  // Another payment settled the intent on chain, so this one can no longer settle.
  const from =
    payment?.status === PAYMENT_STATUS.pending ? OPEN_SETTLEMENT.find((one) => one === facts.settlement) : undefined;
  if (from !== undefined) return { step: 'fail_other', from };
  if (!RESUMABLE.some((status) => status === intent.status))
    return { step: 'refuse', reason: `its intent is ${intent.status}` };
  const signed = withSignedTerms(intent, acceptance, carried);
  const after = { intent: signed, payment };
  const origin = { requestId: batchId, idempotencyKey: null };
  return {
    step: 'write',
    rows: {
      carried: { ...carried, asset: acceptance.token.address, processor: acceptance.payTo },
      intent: { ...signed, status: INTENT_STATUS.processing },
      confirmations: intent.upto ? intent.confirmations : acceptance.confirmations,
      tokenShortcode: acceptance.token.shortcode,
      events: draftEvents(eventsFor({ intent, payment }, after), after, origin, nowMs, eventSequence),
    },
  };
}

function isOffered(offered: StoredAcceptance, { carried, network }: ResumeFacts): boolean {
  return (
    offered.network === network &&
    sameAddress(offered.token.address, carried.asset) &&
    sameAddress(offered.payTo, carried.processor) &&
    offered.amount === carried.capAtomic &&
    offered.payoutId === carried.payoutId
  );
}

/** The intent with the terms that the payer signed, as it was after the header was submitted. */
function withSignedTerms(intent: Intent, acceptance: StoredAcceptance, carried: RestoredRows['carried']): Intent {
  const { payer: from, processor: to, capAtomic, validAfterSeconds, validBeforeSeconds, nonce } = carried;
  const authorization = {
    from,
    to,
    value: capAtomic.toString(),
    validAfter: validAfterSeconds.toString(),
    validBefore: validBeforeSeconds.toString(),
    nonce,
  };
  const confirmed = confirmIntent(intent, { acceptance, authorization });
  if (intent.upto) return confirmed;
  const { serviceMetadata, expiresAtMs, confirmedPayer } = intent;
  return { ...confirmed, serviceMetadata, expiresAtMs, confirmedPayer };
}
