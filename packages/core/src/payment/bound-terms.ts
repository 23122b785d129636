// Terms to which a bound nonce commits: of a processor payment the payout's shares, of a direct one the wallet and the
// amount. Both also commit to chain, token and intent.
import type { Acceptance, NetworkId } from '@svc-pay/protocol';
import {
  type BoundNonceTerms,
  boundNonce,
  boundTermsOn,
  readBoundNonce,
  readBoundTerms,
} from '@svc-pay/protocol/bound-nonce';
import {
  type DirectNonceTerms,
  directNonce,
  directTermsOn,
  readDirectNonce,
  readDirectTerms,
} from '@svc-pay/protocol/direct-nonce';
import type { Intent } from '../intent/intent.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { ActivationTerms } from '../payout/activation.ts';
import type { PayoutShares } from '../payout/payout.ts';

type Bindable = { readonly network: NetworkId; readonly token: { readonly address: string } };

/** Undefined where no processor checks them. */
export function processorTerms(
  intentCode: number,
  { network, token, payTo: processor, payoutId, shares }: Bindable & ProcessorPart,
  attempt: number,
): BoundNonceTerms | undefined {
  return boundTermsOn(network, {
    processor,
    token: token.address,
    payoutId: payoutId.toString(),
    merchant: shares.merchant,
    feeBps: shares.feeBps,
    splits: shares.splits.map(({ to, bps }) => ({ to, bps })),
    intentCode,
    attempt,
  });
}

type ProcessorPart = { readonly payTo: string; readonly payoutId: bigint; readonly shares: PayoutShares };

/** Undefined where nothing is paid directly. */
export function directTerms(
  intentCode: number,
  { network, token, amount, direct: { installation, mode, wallet } }: Bindable & DirectPart,
  attempt: number,
): DirectNonceTerms | undefined {
  return directTermsOn(network, {
    installation,
    mode,
    token: token.address,
    wallet,
    amount: amount.toString(),
    intentCode,
    attempt,
  });
}

type DirectPart = {
  readonly amount: bigint;
  readonly direct: Pick<ActivationTerms, 'installation' | 'mode' | 'wallet'>;
};

/** The acceptance with the bound nonce of another attempt; unchanged where it offers none. */
export function withAttempt(acceptance: Acceptance, attempt: number): Acceptance {
  const { extra } = acceptance;
  if (extra?.svc === undefined) return acceptance;
  const given = { ...extra.svc.terms, attempt };
  const bound = readBoundTerms(given);
  const direct = bound === undefined ? readDirectTerms(given) : undefined;
  const nonce = bound !== undefined ? boundNonce(bound) : direct && directNonce(direct);
  if (nonce === undefined) return acceptance;
  return { ...acceptance, extra: { ...extra, svc: { ...extra.svc, boundNonce: nonce, terms: given } } };
}

/**
 * `free`: the payer's own choice. `bound`: commits to this intent and acceptance. `foreign`: carries a tag of ours and
 * commits to something else, so it must never pay this.
 */
export type NonceBinding = 'free' | 'bound' | 'foreign';

export function nonceBinding(
  nonce: string,
  { intentCode }: Pick<Intent, 'intentCode'>,
  acceptance: Pick<StoredAcceptance, 'network' | 'token' | 'payTo' | 'payoutId' | 'amount' | 'shares' | 'direct'>,
): NonceBinding {
  const taggedDirect = readDirectNonce(nonce);
  const taggedProcessor = readBoundNonce(nonce);
  if (taggedDirect === undefined && taggedProcessor === undefined) return 'free';
  const { direct, shares } = acceptance;
  let expected: string | undefined;
  if (direct !== undefined) {
    const terms = taggedDirect && directTerms(intentCode, { ...acceptance, direct }, taggedDirect.attempt);
    expected = terms && directNonce(terms);
  } else if (shares !== undefined) {
    const terms = taggedProcessor && processorTerms(intentCode, { ...acceptance, shares }, taggedProcessor.attempt);
    expected = terms && boundNonce(terms);
  }
  return expected === nonce.toLowerCase() ? 'bound' : 'foreign';
}
