// The ways in which the payer can pay an intent by transactions of his own, made from its stored acceptances: nothing is
// shown that the chain reader would not attribute to the intent.
import type { RegularOption } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import { findChain } from '../token/chain.ts';
import { type CreateIntentPorts, offeredNetworks } from './create-intent.ts';
import type { Intent } from './intent.ts';
import { isPayable } from './is-payable.ts';
import { familyFor } from './offer-family.ts';
import { takesRegular } from './offer-regular.ts';
import type { RegularWay, RequestUrlOf } from './regular-family.ts';
import { remainingOf } from './remaining-amount.ts';
import { hasPriceEnded, type PaidTerms } from './stored-acceptance.ts';

/** Acceptances of an intent, of both flows. */
export type PayableTerms = {
  readonly terms: readonly PaidTerms[];
  /** Authorizations of the intent that were claimed. While it may be paid, the payments of all of them have failed. */
  readonly claims: number;
  /** Payments that are recorded for the intent, also those that do not count or were given back. */
  readonly payments: number;
  /** By position of the acceptance, what was paid in parts and not given back. */
  readonly parts: ReadonlyMap<number, bigint>;
};

export type LoadPayable = (caller: Caller, intentId: Id<'paymentIntent'>) => Promise<PayableTerms>;

type RegularPorts = Pick<CreateIntentPorts, 'clock' | 'families' | 'networks' | 'findWithdrawn'> & {
  /** The operator refuses new payments of this payer. */
  readonly isPayerDenied: (payer: string) => boolean;
};

/**
 * Empty where nothing is to be paid: whoever sees an option pays it. `payable` is read before `intent`, so that an intent
 * which was taken meanwhile shows none.
 */
export async function regularOptions(
  ports: RegularPorts,
  caller: Caller,
  intent: Intent,
  { terms, claims, payments, parts }: PayableTerms,
  requestUrlOf: RequestUrlOf,
): Promise<readonly RegularOption[]> {
  const nowMs = ports.clock.nowMs();
  if (intent.upto || !isPayable(intent, nowMs) || isOfDenied(ports, intent)) return [];
  const networks = await offeredNetworks(ports);
  const options = await Promise.all(
    terms.map(async (one) => {
      const setup = networks.get(one.network);
      const open = setup !== undefined && one.payoutWithdrawn !== true && !hasPriceEnded(one, nowMs);
      if (!open || !takesRegular(setup, one.direct !== undefined)) return undefined;
      const remaining = remainingOf(one, parts);
      if (remaining === undefined || !(await isActivated(ports, caller, one))) return undefined;
      if (!(await isRead(ports, one))) return undefined;
      const { amount, paid } = remaining;
      const option = optionOf(ports, caller, intent, {
        terms: { ...one, amount },
        payments,
        setup,
        attempt: claims,
        requestUrlOf,
      });
      if (option === undefined || paid === 0n) return option;
      return { ...option, requestedAmount: one.amount.toString(), paidAmount: paid.toString() };
    }),
  );
  return options.filter((option) => option !== undefined);
}

/** What is paid all the same counts: money that has moved is never refused. */
const isOfDenied = ({ isPayerDenied }: RegularPorts, { expectedSender }: Intent): boolean =>
  expectedSender !== null && isPayerDenied(expectedSender);

/** Whoever can only write to the database must not decide where the money goes. */
async function isActivated({ families }: RegularPorts, caller: Caller, terms: PaidTerms): Promise<boolean> {
  const { network, payoutId, token, payTo: wallet, direct: activation } = terms;
  if (activation === undefined) return true;
  const offered = { network, payoutId, asset: token.address, wallet, activation };
  return (await familyFor(families, network)?.checkPayout?.(caller, offered)) === true;
}

/** Whether what is paid would be found: an intent may be older than what stopped the reading. */
async function isRead({ families }: RegularPorts, { network, token }: PaidTerms): Promise<boolean> {
  return (await familyFor(families, network)?.regular?.isRead?.(token)) !== false;
}

function optionOf(
  { families }: RegularPorts,
  caller: Caller,
  intent: Intent,
  given: Pick<RegularWay, 'payments' | 'setup' | 'attempt' | 'requestUrlOf'> & { readonly terms: PaidTerms },
): RegularOption | undefined {
  const { terms, setup } = given;
  const endsAtMs = Math.min(intent.expiresAtMs, terms.priceEndsAtMs ?? intent.expiresAtMs);
  const rpcUrlPublic = setup.rpcUrlPublic ?? findChain(terms.network)?.rpcUrlPublic;
  const way = { ...given, caller, intent, endsAtMs, rpcUrlPublic };
  return familyFor(families, terms.network)?.regular?.optionOf(way);
}
