// Why a payment, an attempt or a refund was refused or failed, in words for the merchant: what happened, then what to do.
import type { ErrorCode, RESULTS } from '@svc-pay/protocol/errors';
import type { TimelineEntry } from '@svc-pay/protocol/merchant';
import { REASON_WORDS, SITUATION_WORDS, STRANDED_WORDS } from './situations.ts';
import { DELIVERY_END_WORDS, OUTCOME_WORDS } from './states.ts';

export type FailureWords = { readonly what: string; readonly todo: string };
type RefundCode = Extract<ErrorCode, `refund_${string}`>;

const AGAIN = 'The payer can try again while the payment is open.';
const INTEGRATION = 'Check your integration: a client must sign the acceptance as it came.';
const NOTHING = 'Nothing is to be done.';

export const PAYMENT_FAILURES: Readonly<Record<keyof typeof RESULTS, FailureWords>> = {
  x402_not_available_for_token: {
    what: 'This token can’t be paid by signature.',
    todo: 'The payer pays with another token, or by a transaction of their own.',
  },
  x402_minimum_amount_not_met: {
    what: 'The amount is below the minimum of the network.',
    todo: 'Offer a cheaper network, or ask for more.',
  },
  x402_temporarily_unavailable: {
    what: 'Paying by signature was paused, or the amount was above the limit of the installation.',
    todo: 'The payer can try later, or you split the amount.',
  },
  x402_upto_settlement_requires_secret_key: {
    what: 'A page tried to settle an up-to payment with a publishable key.',
    todo: 'Charge it here, or from your server with a secret key.',
  },
  invalid_payment_header: { what: 'The payment header could not be read.', todo: INTEGRATION },
  invalid_signature: { what: 'The signature is not the payer’s for these terms.', todo: AGAIN },
  wallet_not_deployed: {
    what: 'The payer’s smart wallet has no code on this chain yet, so the token can’t check its signature.',
    todo: 'The payer makes any transaction with that wallet first, or pays with another one.',
  },
  authorization_not_yet_valid: {
    what: 'The authorization was not valid yet.',
    todo: 'The clock of the payer’s device is probably wrong; trying again helps.',
  },
  authorization_expired: {
    what: 'The authorization expired before a transaction carried it out. No money moved.',
    todo: AGAIN,
  },
  authorization_window_too_long: {
    what: 'The authorization was valid for longer than was asked.',
    todo: INTEGRATION,
  },
  authorization_already_used: {
    what: 'The authorization was already used or canceled by the payer.',
    todo: 'If the payer paid elsewhere with it, look at their wallet. Otherwise they sign again.',
  },
  authorization_bound_elsewhere: { what: 'The authorization belongs to another payment.', todo: AGAIN },
  recipient_mismatch: { what: 'The authorization pays another address than the one asked for.', todo: INTEGRATION },
  asset_mismatch: { what: 'The authorization is for another token than the one asked for.', todo: INTEGRATION },
  amount_mismatch: { what: 'The signed amount is not the one asked for.', todo: INTEGRATION },
  network_mismatch: { what: 'The authorization is for another network than the one asked for.', todo: INTEGRATION },
  scheme_mismatch: { what: 'The authorization is of another scheme than the payment.', todo: INTEGRATION },
  acceptance_mismatch: { what: 'The client sent other requirements than the payment offers.', todo: INTEGRATION },
  sender_mismatch: {
    what: 'The payment expects another payer.',
    todo: 'The payer uses the wallet that you named, or you ask for a payment without a named payer.',
  },
  payer_denied: {
    what: 'The installation refuses this wallet.',
    todo: 'The payer uses another wallet. Ask the operator if you think it is a mistake.',
  },
  permit_nonce_mismatch: {
    what: 'The token expected another nonce: the wallet signed something else since.',
    todo: AGAIN,
  },
  insufficient_funds: {
    what: 'The payer’s wallet did not hold enough of the token.',
    todo: 'The payer adds money to the wallet and tries again, or pays with another token.',
  },
  transaction_altered: {
    what: 'The signed transaction is not the one that was prepared.',
    todo: 'Some wallets add instructions; the payer tries again or uses another wallet.',
  },
  approval_missing: {
    what: 'The payer’s wallet has not approved enough of the token.',
    todo: 'The payer approves it and tries again.',
  },
  not_available: {
    what: 'Signed messages are not supported for this token.',
    todo: 'The client signs the prepared transaction instead.',
  },
  token_refused: {
    what: 'The token’s own contract refused the transfer, as for a blocked address or a paused token.',
    todo: 'The payer asks the issuer of the token, or pays with another wallet or token.',
  },
  gas_budget_spent: {
    what: 'Payments of this wallet cost the service too much gas without succeeding.',
    todo: 'The payer tries again later or with another wallet.',
  },
  intent_not_payable: { what: 'The payment was already paid, canceled or expired.', todo: NOTHING },
};

export const REFUND_FAILURES: Readonly<Record<RefundCode, FailureWords>> = {
  refund_not_possible: { what: 'Only paid or mismatched payments can be refunded.', todo: NOTHING },
  refund_payment_not_final: {
    what: 'The payment is not final on its chain yet.',
    todo: 'Try again in a few minutes.',
  },
  refund_exceeds_paid: {
    what: 'The amount is more than the payment has left.',
    todo: 'Look at its refunds and refund less.',
  },
  refund_superseded: {
    what: 'The payment changed after these terms were made.',
    todo: 'Prepare the refund again and sign the new terms.',
  },
  refund_already_submitted: { what: 'The refund was already signed.', todo: 'Wait for its result.' },
  refund_not_cancelable: { what: 'A signed refund can’t be canceled.', todo: 'Wait for its result.' },
  refund_canceled: { what: 'The refund was canceled or not signed in time.', todo: 'Prepare another.' },
  refund_limit_reached: {
    what: 'The payment has too many open refunds.',
    todo: 'Cancel those that are not signed, or wait for the others.',
  },
  refund_signatures_used_up: {
    what: 'The payment has had 20 signed refunds, which is the most.',
    todo: 'Send the rest from your wallet and report the transaction.',
  },
  refund_too_small: {
    what: 'A signed refund is at least a hundredth of the payment, or all that is left.',
    todo: 'Refund more, or send it from your wallet and report the transaction.',
  },
  refund_found_on_chain: {
    what: 'The chain shows a refund that the database had lost. It is recorded now.',
    todo: 'Look at the refunds of the payment.',
  },
  refund_insufficient_funds: {
    what: 'Your wallet holds less of the token than the refund needs.',
    todo: 'Add money to the wallet, or refund from another one.',
  },
  refund_recipient_refused: {
    what: 'The token refuses the transfer to the payer, as for a blocked address or a paused token.',
    todo: 'Ask the issuer of the token.',
  },
  refund_expired: {
    what: 'The signature expired before a transaction carried it out. No money moved.',
    todo: 'Prepare another refund.',
  },
  refund_signature_used: {
    what: 'Your wallet canceled the signature, or used it for another transfer.',
    todo: 'Look at the transactions of your wallet before you refund again.',
  },
  refund_transfer_not_proven: {
    what: 'The reported transaction shows no transfer of this token from a wallet of yours to the payer.',
    todo: 'Check the transaction’s id; a transfer proves one refund only.',
  },
  refund_recipient_needed: {
    what: 'The payer’s address can’t receive the refund.',
    todo: 'Ask the payer for an address and enter it as the recipient.',
  },
  refund_to_not_needed: { what: 'The refund goes to the payer by itself.', todo: 'Leave out the recipient.' },
  refund_wallet_unknown: {
    what: 'This wallet is not one that receives your payments on this network.',
    todo: 'Choose the wallet that was paid.',
  },
  refund_not_available: {
    what: 'Refunds by signature are not available for this token.',
    todo: 'Send the transfer from your wallet and report the transaction.',
  },
  refund_signature_invalid: {
    what: 'The signature is not your wallet’s for these terms.',
    todo: 'Choose the wallet that was paid, and sign the terms as they are shown.',
  },
};

const ALL: Readonly<Record<string, FailureWords>> = { ...PAYMENT_FAILURES, ...REFUND_FAILURES };
const SENTENCES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(OUTCOME_WORDS).map(([code, { why }]) => [code, why])),
  ...SITUATION_WORDS,
  ...REASON_WORDS,
  ...DELIVERY_END_WORDS,
};

/** Undefined for a code that is no failure of a payment or refund; its answer has a sentence of its own. */
export const failureWords = (code: string): FailureWords | undefined =>
  Object.hasOwn(ALL, code) ? ALL[code] : undefined;

/** The sentences of any code that says why: a situation, a reason of an entry, a failure. The code itself where it is none. */
export function whyWords(code: string): string {
  if (Object.hasOwn(SENTENCES, code)) return SENTENCES[code] ?? code;
  const failure = failureWords(code);
  return failure === undefined ? code : `${failure.what} ${failure.todo}`;
}

/** Why an entry of a timeline is as it is. Codes of money that lies with the processor are those of the chain. */
export const entryWords = ({ kind, why }: Pick<TimelineEntry, 'kind'> & { readonly why: string }): string =>
  (kind === 'money_stranded' && Object.hasOwn(STRANDED_WORDS, why) && STRANDED_WORDS[why]) || whyWords(why);
