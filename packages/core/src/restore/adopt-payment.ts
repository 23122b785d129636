// Decides how a payment is adopted whose intent was lost with the database. The chain gives intent code, payer, token,
// amounts and payout, and the payout gives the account: from these a stand-in intent is made. The merchant's own fields
// are lost.
import { atomicAmount } from '@svc-pay/money';
import { type NetworkId, UPTO_CAP_METADATA_KEY } from '@svc-pay/protocol';
import { readDirectNonce } from '@svc-pay/protocol/direct-nonce';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';
import type { Intent } from '../intent/intent.ts';
import { isIntentCode } from '../intent/intent-code.ts';
import { INTENT_STATUS } from '../intent/intent-transitions.ts';
import { draftEvents, eventsFor } from '../payment/payment-events.ts';
import { sameAddress } from '../token/address.ts';
import { TOKENS } from '../token/catalogue.ts';
import type { RestoredRows } from './restored-rows.ts';

/** Key of an intent's service metadata, visible to merchants: the intent is a stand-in made from chain data. */
export const STAND_IN_KEY = 'svc_recovered_from_chain';

export type AdoptFacts = {
  readonly network: NetworkId;
  readonly carried: RestoredRows['carried'];
  /** Code of the stand-in. One that is not of ours is refused: another program uses the processor. */
  readonly intentCode: bigint;
  /** The id that the transaction names; the stand-in gets a new one where it names none. */
  readonly intentId?: Id<'paymentIntent'>;
  readonly batchId: string;
  /** The account of the payout that the transaction names. */
  readonly payoutOwner: { readonly accountId: Id<'account'>; readonly mode: Mode } | undefined;
  readonly nowMs: number;
};

export type AdoptStep =
  /** `standIn` is inserted first; `rows` then change it as they change any intent. */
  | { readonly step: 'write'; readonly standIn: Intent; readonly rows: RestoredRows }
  | { readonly step: 'refuse'; readonly reason: string };

export function adoptPayment(facts: AdoptFacts): AdoptStep {
  const { network, carried, intentCode, batchId, payoutOwner, nowMs } = facts;
  const token = TOKENS.find((known) => known.network === network && sameAddress(known.address, carried.asset));
  if (payoutOwner === undefined || token === undefined || !isIntentCode(intentCode))
    return { step: 'refuse', reason: 'no payout of ours has its payout id' };
  const bound = carried.direct ? readDirectNonce(carried.nonce) : undefined;
  if (bound !== undefined && bound.intentCode !== intentCode)
    return { step: 'refuse', reason: 'its nonce is bound to another intent' };
  const { accountId, mode } = payoutOwner;
  // Only an up-to payment settles less than its cap. A payment that settled all of it may have either scheme.
  const upto = carried.settledAtomic < carried.capAtomic;
  const standIn: Intent = {
    accountId,
    mode,
    id: facts.intentId ?? newId('paymentIntent', nowMs),
    intentCode: Number(intentCode),
    status: INTENT_STATUS.requires_payment,
    upto,
    amount: atomicAmount(carried.capAtomic),
    tokenShortcode: token.shortcode,
    network,
    ledgerId: token.address,
    amountUsd: null,
    description: null,
    resource: null,
    mimeType: null,
    expectedSender: null,
    payerPublicKey: null,
    metadata: {},
    serviceMetadata: {
      [STAND_IN_KEY]: true,
      ...(upto && { [UPTO_CAP_METADATA_KEY]: carried.capAtomic.toString() }),
    },
    createdAtMs: nowMs,
    expiresAtMs: Number(carried.validBeforeSeconds) * 1_000,
    confirmedPayer: upto ? carried.payer : null,
    confirmations: 1,
    createdWith: null,
    tokens: null,
  };
  const created = { intent: standIn, payment: null };
  const origin = { requestId: batchId, idempotencyKey: null };
  return {
    step: 'write',
    standIn,
    rows: {
      carried: { ...carried, asset: token.address },
      intent: { ...standIn, status: INTENT_STATUS.processing },
      confirmations: standIn.confirmations,
      tokenShortcode: token.shortcode,
      events: draftEvents(eventsFor(undefined, created), created, origin, nowMs, 0),
    },
  };
}
