// What an acceptance was issued as to stock x402 clients, and whether a client repeats it unchanged.
import type { Id } from '@svc-pay/protocol/ids';
import {
  isExtraInTransaction,
  type OfferedTerms,
  parseAnyNetwork,
  requirementsOf,
  type X402Terms,
} from '@svc-pay/protocol/x402';
import { sameAddress } from '../token/address.ts';
import type { StoredAcceptance } from './stored-acceptance.ts';

/** Our acceptance as a stock client is offered it. */
export function offeredTerms(
  intentId: Id<'paymentIntent'>,
  acceptance: StoredAcceptance,
  transfer?: OfferedTerms['transfer'],
): OfferedTerms {
  const { scheme, network, token, payTo, amount, maxTimeoutSeconds } = acceptance;
  return {
    scheme,
    network,
    maxAmountRequired: amount.toString(),
    payTo,
    asset: token.address,
    maxTimeoutSeconds,
    intentId,
    ...(token.signing === 'TransferWithAuthorization' && token.domain && { domain: token.domain }),
    ...(transfer && { transfer }),
  };
}

export type RepeatedTerms =
  | { readonly ok: true; readonly acceptances: readonly StoredAcceptance[] }
  /** `field`: the first field that differs, in the acceptance that comes closest. */
  | { readonly ok: false; readonly field: string };

/** The acceptances that `accepted` repeats, every field equal to what was issued. */
export function matchAccepted(
  stored: readonly StoredAcceptance[],
  intentId: Id<'paymentIntent'>,
  accepted: X402Terms,
): RepeatedTerms {
  const compared = stored.map((acceptance) => ({ acceptance, field: firstDifference(acceptance, intentId, accepted) }));
  const same = compared.filter(({ field }) => field === undefined).map(({ acceptance }) => acceptance);
  if (same.length > 0) return { ok: true, acceptances: same };
  const closest = FIELDS.findLast((name) => compared.some(({ field }) => field === name));
  return { ok: false, field: `accepted.${closest ?? 'scheme'}` };
}

/** In the order of comparison: the later the difference, the closer the acceptance. */
const FIELDS = [
  'scheme',
  'network',
  'asset',
  'payTo',
  'amount',
  'maxTimeoutSeconds',
  'extra.intentId',
  'extra',
] as const;
type Field = (typeof FIELDS)[number];

function firstDifference(
  acceptance: StoredAcceptance,
  intentId: Id<'paymentIntent'>,
  accepted: X402Terms,
): Field | undefined {
  const { network, token, payTo, amount, maxTimeoutSeconds } = acceptance;
  const issued = requirementsOf(offeredTerms(intentId, acceptance));
  const inTransaction = isExtraInTransaction(network);
  if (accepted.scheme !== acceptance.scheme || (issued === undefined && !inTransaction)) return 'scheme';
  if (parseAnyNetwork(accepted.network) !== network) return 'network';
  if (!sameAddress(token.address, accepted.asset)) return 'asset';
  if (!sameAddress(payTo, accepted.payTo)) return 'payTo';
  if (accepted.amount !== amount.toString()) return 'amount';
  if (accepted.maxTimeoutSeconds !== maxTimeoutSeconds) return 'maxTimeoutSeconds';
  if (accepted.extra['intentId'] !== intentId) return 'extra.intentId';
  return inTransaction || isSameExtra(issued?.extra ?? {}, accepted.extra) ? undefined : 'extra';
}

function isSameExtra(issued: Readonly<Record<string, unknown>>, repeated: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(issued);
  return names.length === Object.keys(repeated).length && names.every((name) => issued[name] === repeated[name]);
}
