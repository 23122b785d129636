// What a payer can be told about each end of an attempt. The service's own sentences are used where they speak to the
// payer; those meant for the merchant's engineer are kept apart and not shown.
import type { MoneyMoved } from '@svc-pay/protocol';
import { type CatalogueEntry, RESULTS } from '@svc-pay/protocol/errors';

const SENTENCES = {
  aborted: 'The payment was stopped.',
  acceptance_refused: 'The service asks for something else than this page does, so nothing was signed.',
  answer_unreadable: 'The payment service gave an answer that makes no sense.',
  approval_failed: 'The token was not released for this payment.',
  connection_refused: 'The wallet was not connected.',
  insufficient_gas: 'The wallet can’t pay the network’s fee for this payment.',
  invalid_request: 'This page asked for a payment that can’t be made.',
  network_switch_refused: 'The wallet was not switched to the network of this payment.',
  no_account: 'The wallet has no account to pay from.',
  no_usable_acceptance: 'This wallet can’t pay here.',
  no_wallet: 'No wallet was found. Install or open one, then try again.',
  outcome_unknown: 'The payment was sent and its result is not known yet. Do not pay again; look again later.',
  payment_canceled: 'The payment was canceled.',
  payment_failed: 'The payment failed.',
  payment_mismatched: 'Another amount arrived than was asked for.',
  permit_nonce_unavailable: 'The token could not be asked what it needs for a signature. Try again later.',
  regular_flow_unavailable: 'This can’t be paid by signature, and no other way of paying is offered here.',
  service_unreachable: 'The payment service can’t be reached. Try again in a moment.',
  signature_refused: 'The payment was not signed.',
  transaction_reverted: 'The network refused the payment.',
  typed_data_unsupported: 'This wallet can’t sign payments.',
  unexpected: 'Something went wrong on this page.',
  wallet_closed: 'The wallet was closed.',
  wallet_failed: 'The wallet could not sign this payment.',
  wallet_timeout: 'The wallet did not answer in time.',
  wrong_network: 'The wallet is on another network than this payment. Switch it, then try again.',
} as const;

/** Ends that only this package knows, with what the payer is told. */
export type SdkErrorCode = keyof typeof SENTENCES;

const OTHERWISE = 'This payment can’t be made here at the moment.';

const MONEY_WORDS: Readonly<Record<MoneyMoved, string>> = {
  no: 'Nothing was charged.',
  yes: 'Money was charged.',
  unknown: 'Whether money was charged is not known yet.',
};

export function sentenceFor(code: string, moneyMoved: MoneyMoved): string {
  // Says so itself.
  if (code === 'outcome_unknown') return SENTENCES.outcome_unknown;
  return `${sentenceOf(code)} ${MONEY_WORDS[moneyMoved]}`;
}

function sentenceOf(code: string): string {
  if (isSdkErrorCode(code)) return SENTENCES[code];
  const result = resultOf(code);
  return result?.actor === 'payer' ? result.message : OTHERWISE;
}

/** What the service says without a sentence. */
export function resultOf(code: string): CatalogueEntry | undefined {
  return Object.hasOwn(RESULTS, code) ? RESULTS[code as keyof typeof RESULTS] : undefined;
}

export function isSdkErrorCode(code: string): code is SdkErrorCode {
  return Object.hasOwn(SENTENCES, code);
}
