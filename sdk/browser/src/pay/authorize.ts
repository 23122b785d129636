// From a request to a signed header, for both kinds of payment: ask for an intent, or for what may be signed for one that
// exists, hold every acceptance against what was asked, let the wallet choose and sign. Nothing has been sent when this ends, so whatever goes wrong here moved no money.
import { type Acceptance, encodePaymentHeader, type Scheme } from '@svc-pay/protocol';
import { askedBy, intentRequestOf, isIntentToPay } from '../check/asked.ts';
import { type Difference, differenceFrom } from '../check/check-acceptance.ts';
import type { IntentToPay, UptoRequest } from '../check/payment-request.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import type { Attempt } from '../events/attempt.ts';
import { haltIfAborted } from '../http/race.ts';
import type { Submission } from '../http/service.ts';
import type { OfferAnswer, Offered } from '../read/read-intent.ts';
import type { WalletCall } from '../wallet.ts';
import { type ClientDeps, requireCredential } from './parts.ts';
import { prepareTransaction } from './prepare-transaction.ts';
import { requestIntent, requestOffer } from './request-intent.ts';

type Wanted = {
  readonly request: UptoRequest | IntentToPay;
  readonly scheme: Scheme;
  readonly signal: AbortSignal;
};

/** The intent exists and nothing is to be signed for it; nobody was asked to. */
export type Standing = Extract<OfferAnswer, { kind: 'stands' }>;

/** The service offers nothing to sign for the intent. */
export type NotOffered = Extract<OfferAnswer, { kind: 'fallback' }>;

export async function authorize(
  deps: ClientDeps,
  attempt: Attempt,
  { request, scheme, signal }: Wanted,
): Promise<Submission | Standing | NotOffered> {
  const { ports, wallet, walletTimeoutMs } = deps;
  haltIfAborted(signal);
  const asked = askedBy(request, scheme, deps.payTo);
  requireCredential(deps);
  const call: WalletCall = { ports, signal, walletTimeoutMs, nowSeconds: () => Math.floor(ports.nowMs() / 1_000) };
  const askPayer = () => wallet?.intentFields?.(call);
  const fieldsFirst = isIntentToPay(request) ? undefined : await askPayer();
  const { answer, nowSeconds } = isIntentToPay(request)
    ? await requestOffer(deps, request.paymentIntentId, signal)
    : await requestIntent(deps, { ...intentRequestOf(request, scheme), ...fieldsFirst }, attempt.attemptId, signal);
  const status = answer.kind === 'stands' ? answer.situation.status : 'requires_payment';
  attempt.created({ paymentIntentId: answer.paymentIntentId, status });
  if (answer.kind !== 'offered') return answer;
  const { paymentIntentId } = answer;
  // A wallet of a network without X402 has nothing to sign, whatever is offered on others.
  if (wallet?.readRegular && !answer.offers.some(({ acceptance }) => wallet.canSign(acceptance)))
    return { kind: 'fallback', paymentIntentId, reason: 'no_usable_acceptance' };

  const fitting = fittingOf(answer.offers, (offer) => differenceFrom(asked, offer.acceptance, paymentIntentId));
  if (wallet === undefined) throw new SvcPayError('no_wallet');
  const signable = fitting.filter(({ acceptance }) => wallet.canSign(acceptance));
  if (signable.length === 0) throw new SvcPayError('no_usable_acceptance');
  const payerFields = isIntentToPay(request) ? await askPayer() : fieldsFirst;
  haltIfAborted(signal);
  const offered = signable.map(({ acceptance }) => acceptance);
  const echoOf = (acceptance: Acceptance) => signable.find((offer) => offer.acceptance === acceptance)?.echo;
  const { acceptance, header, payer } = await wallet.authorize(offered, {
    ...call,
    nowSeconds,
    paymentIntentId,
    publicKey: payerFields?.publicKey,
    prepare: (wanted, publicKey) => {
      const paymentRequirements = echoOf(wanted) ?? wanted;
      return prepareTransaction(deps, { paymentIntentId, publicKey, paymentRequirements }, signal);
    },
  });
  const paymentRequirements = echoOf(acceptance);
  if (paymentRequirements === undefined) throw new SvcPayError('acceptance_refused', { reason: 'wallet' });
  attempt.updated({
    payer,
    network: acceptance.network,
    asset: acceptance.asset ?? acceptance.payTo,
    amount: acceptance.maxAmountRequired,
  });
  return { paymentIntentId, paymentHeader: encodePaymentHeader(header), paymentRequirements };
}

function fittingOf(
  offers: readonly Offered[],
  differenceOf: (offer: Offered) => Difference | undefined,
): readonly Offered[] {
  const differences = offers.map(differenceOf);
  const fitting = offers.filter((_, index) => differences[index] === undefined);
  if (fitting.length > 0) return fitting;
  throw new SvcPayError('acceptance_refused', { reason: differences[0] ?? 'unreadable' });
}
