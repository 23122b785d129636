// A fixed price, paid by any x402 client, verified and settled by the service's facilitator routes.
import type { Usd } from '@svc-pay/money';
import {
  PAYMENT_REQUIRED_HEADER,
  parseAnyNetwork,
  v1NameOf,
  type X402Challenge,
  type X402ChallengeV1,
  type X402Payment,
  type X402Requirements,
  type X402RequirementsV1,
} from '@svc-pay/protocol/x402';
import type { Facilitator } from '../facilitator/facilitator.ts';
import type { TellProblem } from '../facilitator/tell-problem.ts';
import { jsonAnswer, type RequestFacts } from './answer.ts';
import { base64OfJson } from './base64-json.ts';
import { atomicFromDollars } from './dollars.ts';
import { isInUse, settleOutcome } from './judge-answer.ts';
import { IDENTIFIER_TAKEN } from './payment-identifier.ts';
import type { PresentedPayment } from './presented-payment.ts';
import { unavailableAnswer } from './unavailable-answer.ts';
import type { TakenPayment, WayToPay } from './way-to-pay.ts';

export type ExactTerms = {
  readonly priceUsd: Usd;
  readonly description: string | undefined;
  readonly mimeType: string | undefined;
  readonly maxTimeoutSeconds: number;
};

export type ExactDeps = {
  readonly facilitator: Facilitator;
  readonly tell: TellProblem;
};

export function exactWay({ facilitator, tell }: ExactDeps, terms: ExactTerms): WayToPay {
  const requirements = async (): Promise<readonly X402Requirements[]> =>
    (await facilitator.soldTokens()).map(({ network, asset, payTo, decimals, extra }) => ({
      scheme: 'exact',
      network,
      amount: atomicFromDollars(terms.priceUsd, decimals),
      asset,
      payTo,
      maxTimeoutSeconds: terms.maxTimeoutSeconds,
      extra: { ...extra },
    }));

  return {
    challenge: async (facts, error) => {
      const accepts = await requirements().catch(() => undefined);
      if (accepts === undefined || accepts.length === 0) {
        if (accepts !== undefined) tell({ step: 'supported', message: NOT_PAID });
        return unavailableAnswer();
      }
      const { description, mimeType } = terms;
      const resource = { url: facts.url, ...(description && { description }), ...(mimeType && { mimeType }) };
      const challenge: X402Challenge = {
        x402Version: 2,
        ...(error && { error }),
        resource,
        accepts: [...accepts],
        extensions: IDENTIFIER_TAKEN,
      };
      // A client of version 1 reads the body, one of version 2 the header.
      const body: X402ChallengeV1 = {
        x402Version: 1,
        error: error ?? 'payment required',
        accepts: accepts.flatMap((one) => requirementsV1(one, facts, terms) ?? []),
      };
      return jsonAnswer(402, body, [[PAYMENT_REQUIRED_HEADER, base64OfJson(challenge)]]);
    },
    take: async (facts, presented) => {
      const known = await requirements().catch(() => undefined);
      if (known === undefined) return { ok: false, reason: 'unavailable', message: '' };
      let taken: TakenPayment = {
        ok: false,
        reason: 'invalid',
        message: 'The payment is for other terms than those of this route.',
      };
      // Version 1 does not name its token: where the account has several on a network, the signature fits one of them.
      for (const required of known.filter((one) => isFor(presented.payment, one))) {
        taken = await takeFor(facts, presented, required);
        if (taken.ok || taken.reason !== 'invalid') return taken;
      }
      return taken;
    },
  };

  async function takeFor(
    facts: RequestFacts,
    { payment, payload }: PresentedPayment,
    required: X402Requirements,
  ): Promise<TakenPayment> {
    const sent = payment.version === 1 ? (requirementsV1(required, facts, terms) ?? required) : required;
    const verified = await facilitator.verify(payload, sent).catch(() => undefined);
    if (verified === undefined) return { ok: false, reason: 'unavailable', message: '' };
    if (!verified.isValid) {
      const { invalidReason = 'invalid', invalidMessage } = verified;
      const message = invalidMessage === undefined ? invalidReason : `${invalidReason}: ${invalidMessage}`;
      return { ok: false, reason: isInUse(invalidReason, invalidMessage) ? 'in_use' : 'invalid', message };
    }
    return {
      ok: true,
      capUsd: undefined,
      settle: async () => settleOutcome(await facilitator.settle(payload, sent)),
      // The lease ends by itself, with the payer's authorization.
      release: async () => {},
    };
  }
}

const NOT_PAID = 'The account has no wallet and token that a stock client can pay: activate a direct payout.';

/** Every field as it was issued. Version 1 repeats no terms: its signature is held against them by the facilitator. */
function isFor({ version, scheme, network, accepted }: X402Payment, required: X402Requirements): boolean {
  if (scheme !== required.scheme || network !== parseAnyNetwork(required.network)) return false;
  if (version === 1) return true;
  if (accepted === undefined) return false;
  const { amount, asset, payTo, maxTimeoutSeconds, extra } = required;
  return (
    accepted.amount === amount &&
    accepted.asset === asset &&
    accepted.payTo === payTo &&
    accepted.maxTimeoutSeconds === maxTimeoutSeconds &&
    sameFields(accepted.extra, extra ?? {})
  );
}

/** Values are text. */
function sameFields(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(other);
  return Object.keys(one).length === names.length && names.every((name) => one[name] === other[name]);
}

/** Undefined on a network that version 1 has no name for. */
function requirementsV1(
  { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra }: X402Requirements,
  { url }: RequestFacts,
  { description = '', mimeType = '' }: ExactTerms,
): X402RequirementsV1 | undefined {
  const parsed = parseAnyNetwork(network);
  const name = parsed && v1NameOf(parsed);
  if (name === undefined) return undefined;
  const terms = { scheme, network: name, maxAmountRequired: amount, asset, payTo, maxTimeoutSeconds };
  return { ...terms, resource: url, description, mimeType, extra };
}
