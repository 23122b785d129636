// Creates an X402 intent: resolves amounts and tokens, builds acceptances, makes the answer, then records everything in
// one commit. The answer offers nothing that is not stored.

import type { CreateIntentRequest, PaymentRequired } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { Clock } from '../clock.ts';
import { draftEventsOf, type EventDraft } from '../event/event-draft.ts';
import type { Answer, IdempotencyClaim, RecallAnswer, Recorded } from '../idempotency/stored-answer.ts';
import { metadataDigests } from '../listing/metadata-key.ts';
import type { MerchantSetup, NetworkSetup, WithdrawnPart } from '../payout/merchant-setup.ts';
import type { PriceSource } from '../pricing/price-source.ts';
import { findChain } from '../token/chain.ts';
import { dollarValue } from '../token/dollar-value.ts';
import type { HourlyCap } from '../token/hourly-caps.ts';
import { selectTokens } from '../token/select-tokens.ts';
import { answerPaymentRequired, answerRegular, paymentRequiredOf } from './answer-intent.ts';
import { type AcceptanceRecord, buildAcceptance } from './build-acceptance.ts';
import { chooseOffers, chooseRegular } from './choose-offers.ts';
import type { Intent } from './intent.ts';
import { intentEvents, intentSubject } from './intent-events.ts';
import { familyFor, type Offer, type OfferFamily } from './offer-family.ts';
import { priceTokens } from './price-tokens.ts';
import { type IntentRefusal, type IntentTerms, readTerms } from './read-terms.ts';
import type { AcceptanceFlow } from './regular-family.ts';
import { INTENT_LIFETIME_SECONDS } from './timeouts.ts';

export type IntentRecord = {
  readonly intent: Intent;
  readonly acceptances: readonly AcceptanceRecord[];
  readonly events: readonly EventDraft[];
  /** Stored with the intent when the request has an idempotency key. */
  readonly idempotency: { readonly claim: IdempotencyClaim; readonly answer: Answer } | null;
  /** Digests of the metadata by which the intent is found. */
  readonly listedMetadata?: readonly Uint8Array[];
  /** A person's key, for the audit record. What programs create is too much for it. */
  readonly auditedKeyId?: Id<'key'>;
};

export type CreateIntentPorts = {
  readonly clock: Clock;
  /** Chain families that payments are offered on. */
  readonly families: readonly OfferFamily[];
  readonly networks: ReadonlyMap<string, NetworkSetup>;
  /** Whether settlement can be reached to settle an up-to intent later. */
  readonly uptoSettles: boolean;
  /** Withdrawn networks: that part is not offered on them, whatever the configuration says. */
  readonly findWithdrawn?: () => Promise<ReadonlyMap<string, WithdrawnPart>>;
  /** Hourly caps of the processors by token, as far as they were read. */
  readonly findHourlyCaps: () => Promise<readonly HourlyCap[]>;
  /** Base URL to which clients submit settle; null leaves it to the client. */
  readonly facilitatorUrl: string | null;
  readonly rateOf: PriceSource;
  /** How long an intent may be paid at a rate from a price feed. */
  readonly priceLifeMs: number;
  readonly loadMerchant: (caller: Caller) => Promise<MerchantSetup>;
  /** The earlier answer to this idempotency key; undefined when the key is new. */
  readonly recallAnswer: RecallAnswer;
  /** An unused intent code of this processor, below 2^53. */
  readonly nextIntentCode: () => Promise<number>;
  /**
   * One statement: intent, code, acceptances, events with one delivery per subscribed endpoint, and the idempotent
   * answer. A key that was used before writes nothing and returns the stored answer.
   */
  readonly recordIntent: (record: IntentRecord) => Promise<Recorded>;
};

export type CreateIntentCall = {
  readonly caller: Caller;
  readonly request: CreateIntentRequest;
  readonly requestId: string;
  readonly claim: IdempotencyClaim | null;
  /** `regular` offers nothing to be signed. Default: X402, and the regular flow where X402 can't be used. */
  readonly flow?: AcceptanceFlow;
};

export type CreatedIntent =
  | {
      readonly ok: true;
      readonly answer: Answer;
      readonly replayed: boolean;
      /** The body of a 402 that was made now; a replayed one is in `answer` alone. */
      readonly required?: PaymentRequired;
    }
  | IntentRefusal;

export async function createIntent(ports: CreateIntentPorts, call: CreateIntentCall): Promise<CreatedIntent> {
  const created = await createNewIntent(ports, call);
  if (created.ok || call.claim === null || created.code === 'idempotency_key_reused') return created;
  // An intent that can't be created now (no price, token disabled) may have been created under this key before.
  const earlier = await ports.recallAnswer(call.caller, call.claim);
  return earlier?.outcome === 'replayed' ? { ok: true, answer: earlier.answer, replayed: true } : created;
}

async function createNewIntent(ports: CreateIntentPorts, call: CreateIntentCall): Promise<CreatedIntent> {
  const merchant = await ports.loadMerchant(call.caller);
  const terms = readTerms(call.request, merchant, call.caller.kind);
  if (!terms.ok) return terms;
  const flow = call.flow ?? 'x402';
  if (terms.upto && (!ports.uptoSettles || flow === 'regular'))
    return { ok: false, code: 'x402_upto_not_available', param: 'x402Upto' };
  const selected = selectTokens(terms.selector, call.caller.mode, merchant.enabledTokens);
  if (!selected.ok) return selected;
  const priced = await priceTokens(selected.tokens, terms.asked, ports.rateOf);
  if (!priced.ok) return priced;

  const nowMs = ports.clock.nowMs();
  const [networks, hourlyCaps] = await Promise.all([offeredNetworks(ports), ports.findHourlyCaps()]);
  const { families } = ports;
  const conditions = { families, networks, hourlyCaps, nowMs, feedPriceEndsAtMs: nowMs + ports.priceLifeMs };
  const { expectedSender } = terms;
  const asked = { caller: call.caller, tokens: priced.tokens, merchant, expectedSender, conditions };
  const chosen = flow === 'regular' ? await chooseRegular(asked) : await chooseOffers(asked, terms);
  if (!chosen.ok) return chosen;
  const { offers } = chosen;

  const [first] = offers.length > 0 ? offers : priced.tokens;
  if (first === undefined)
    throw new Error(`account ${call.caller.accountId}: the selection of tokens was priced and is empty`);
  const priceEndsAtMs = lastPriceEnd(offers);
  const tokens = offers.map(({ token }) => token.shortcode);
  const intent = draftIntent({ nowMs, priceEndsAtMs, tokens }, call, terms, first, await ports.nextIntentCode());
  const { maxTimeoutSeconds } = terms;
  const acceptances =
    chosen.flow === 'regular'
      ? offers.map((offer) => regularAcceptance(ports, intent, offer, maxTimeoutSeconds))
      : await Promise.all(
          offers.map((offer, position) =>
            acceptanceFor(ports, call.caller, intent, offer, position, maxTimeoutSeconds),
          ),
        );
  const accepts = acceptances.map(({ acceptance }) => acceptance);
  const required = chosen.flow === 'x402' ? paymentRequiredOf(intent.id, accepts) : undefined;
  const answer =
    required !== undefined
      ? answerPaymentRequired(required, selected.deprecated)
      : answerRegular(intent.id, 'fallback' in chosen ? chosen.fallback : undefined, selected.deprecated);

  const origin = { requestId: call.requestId, idempotencyKey: call.claim?.key ?? null };
  const recorded = await ports.recordIntent({
    intent,
    acceptances,
    events: draftEventsOf(intentSubject(intent), intentEvents(undefined, intent), origin, intent.createdAtMs, 0),
    idempotency: call.claim === null ? null : { claim: call.claim, answer },
    listedMetadata: metadataDigests(intent, merchant.metadataKeys ?? []),
    ...(call.caller.ofPerson && { auditedKeyId: call.caller.keyId }),
  });
  if (recorded.outcome === 'key_reused') return { ok: false, code: 'idempotency_key_reused', param: 'Idempotency-Key' };
  if (recorded.outcome === 'replayed') return { ok: true, answer: recorded.answer, replayed: true };
  return { ok: true, answer, replayed: false, ...(required && { required }) };
}

export async function acceptanceFor(
  { families, facilitatorUrl }: Pick<CreateIntentPorts, 'families' | 'facilitatorUrl'>,
  caller: Caller,
  intent: Intent,
  offer: Offer,
  position: number,
  maxTimeoutSeconds: number,
): Promise<AcceptanceRecord> {
  const { network } = offer.token;
  const family = familyFor(families, network);
  if (family === undefined) throw new Error(`intent ${intent.id} offers ${network}, which no chain family owns`);
  const rpcUrlPublic = offer.setup.rpcUrlPublic ?? findChain(network)?.rpcUrlPublic;
  const terms = await family.acceptanceTerms({ caller, intent, offer, position, maxTimeoutSeconds, rpcUrlPublic });
  return { offer, acceptance: buildAcceptance(intent, offer, terms, facilitatorUrl) };
}

/** An acceptance that nobody signs: it has no fields for a wallet. */
function regularAcceptance(
  { families, facilitatorUrl }: Pick<CreateIntentPorts, 'families' | 'facilitatorUrl'>,
  intent: Intent,
  offer: Offer,
  maxTimeoutSeconds: number,
): AcceptanceRecord {
  const regular = familyFor(families, offer.token.network)?.regular;
  if (regular === undefined) throw new Error(`intent ${intent.id} offers a regular flow that no chain family has`);
  const terms = { payTo: regular.payToOf(offer), maxTimeoutSeconds, extra: {} };
  return { offer, acceptance: buildAcceptance(intent, offer, terms, facilitatorUrl), flow: 'regular' };
}

/** Latest end of the offered prices; null when one of them has no end, or nothing is offered. */
function lastPriceEnd(offers: readonly Offer[]): number | null {
  const ends = offers.flatMap(({ priceEndsAtMs }) => priceEndsAtMs ?? []);
  return ends.length > 0 && ends.length === offers.length ? Math.max(...ends) : null;
}

type DraftedOffer = {
  readonly nowMs: number;
  readonly priceEndsAtMs: number | null;
  /** Shortcodes of the offered tokens. */
  readonly tokens: readonly string[];
};

export function draftIntent(
  { nowMs, priceEndsAtMs, tokens }: DraftedOffer,
  { caller }: Pick<CreateIntentCall, 'caller'>,
  terms: IntentTerms,
  first: Pick<Offer, 'token' | 'amount' | 'rate'> & Partial<Pick<Offer, 'confirmations'>>,
  intentCode: number,
): Intent {
  const lifetimeSeconds = terms.upto
    ? Math.max(INTENT_LIFETIME_SECONDS, terms.maxTimeoutSeconds)
    : INTENT_LIFETIME_SECONDS;
  return {
    id: newId('paymentIntent', nowMs),
    accountId: caller.accountId,
    mode: caller.mode,
    intentCode,
    status: 'requires_payment',
    upto: terms.upto,
    amount: first.amount,
    tokenShortcode: first.token.shortcode,
    network: first.token.network,
    ledgerId: first.token.address,
    amountUsd: terms.asked.usd ?? dollarValue(first.token.unit, first.amount, first.rate.usdPerToken),
    ...(terms.asked.usd === null && { asksTokens: true }),
    description: terms.description,
    resource: terms.resource,
    mimeType: terms.mimeType,
    expectedSender: terms.expectedSender,
    payerPublicKey: terms.payerPublicKey,
    metadata: terms.metadata,
    serviceMetadata: {},
    createdAtMs: nowMs,
    expiresAtMs: priceEndsAtMs ?? nowMs + lifetimeSeconds * 1_000,
    confirmedPayer: null,
    confirmations: first.confirmations ?? 1,
    createdWith: caller.kind,
    tokens,
  };
}

export async function offeredNetworks({
  networks,
  findWithdrawn,
}: Pick<CreateIntentPorts, 'networks' | 'findWithdrawn'>): Promise<CreateIntentPorts['networks']> {
  const withdrawn = await findWithdrawn?.();
  if (withdrawn === undefined || withdrawn.size === 0) return networks;
  return new Map(
    [...networks].map(([network, setup]) => {
      const part = withdrawn.get(network);
      return [network, part === undefined ? setup : { ...setup, withdrawn: part }];
    }),
  );
}
