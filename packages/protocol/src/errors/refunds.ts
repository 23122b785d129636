// Codes of refunds: refusals of their routes, and why a refund failed.
import { type CatalogueEntry, entry } from './catalogue-entry.ts';

export const REFUND_ERRORS = {
  refund_not_possible: entry(
    409,
    'merchant',
    'Only a completed or mismatched payment can be refunded; read the status of the payment.',
  ),
  refund_payment_not_final: entry(
    409,
    'merchant',
    'The payment is not final on its chain yet; ask for the refund again in a few minutes.',
    true,
  ),
  refund_exceeds_paid: entry(
    409,
    'merchant',
    'The amount is more than the payment has left to refund; read its refunds, and ask for less.',
  ),
  refund_superseded: entry(
    409,
    'merchant',
    'Another refund of this payment was submitted, or its intent was completed, since this one was prepared; prepare it again and sign the new terms.',
  ),
  refund_already_submitted: entry(
    409,
    'merchant',
    'The refund was submitted with another signature; read its status, and prepare another to refund more.',
  ),
  refund_not_cancelable: entry(
    409,
    'merchant',
    'Only a prepared refund can be canceled; wait for the end of a submitted one, which its signature’s expiry brings.',
  ),
  refund_canceled: entry(409, 'merchant', 'The refund is canceled or was not signed in time; prepare another.'),
  refund_limit_reached: entry(
    409,
    'merchant',
    'The payment has too many open refunds; wait until they end, or cancel prepared ones.',
    true,
  ),
  refund_signatures_used_up: entry(
    409,
    'merchant',
    'The payment has had 20 signed refunds; send the rest yourself and report its transactionId.',
  ),
  refund_too_small: entry(
    422,
    'merchant',
    'A signed refund is at least one hundredth of what was paid, or all that is left, or the rest of refundDueAmount; ask for more, or send the transfer yourself and report its transactionId.',
  ),
  refund_found_on_chain: entry(
    409,
    'merchant',
    'The chain shows a refund of this payment that the database lost; it is recorded now, read the refunds of the payment.',
  ),
  refund_insufficient_funds: entry(
    409,
    'merchant',
    'The wallet has less of the token than the refund needs; fund it, or refund from another wallet.',
    true,
  ),
  refund_recipient_refused: entry(
    409,
    'merchant',
    'The token refuses the transfer to the payer, as for a blocked address or a paused token; ask the issuer of the token.',
  ),
  refund_expired: entry(
    409,
    'merchant',
    'The signature expired before a transaction carried it out, and no money moved; prepare another refund.',
  ),
  refund_signature_used: entry(
    409,
    'merchant',
    'The wallet canceled the signature, or used its nonce for another transfer; read the transactions of the wallet.',
  ),
  refund_transfer_not_proven: entry(
    409,
    'merchant',
    'The reported transaction has no transfer of this token from a wallet of yours to the payer that proves nothing else; check its id.',
  ),
  refund_recipient_needed: entry(
    422,
    'merchant',
    'The payer of this payment cannot receive the refund on its chain; ask the payer for an address and send it as refundTo.',
  ),
  refund_to_not_needed: entry(422, 'merchant', 'The refund goes to the payer of the payment; leave out refundTo.'),
  refund_wallet_unknown: entry(
    422,
    'merchant',
    'The wallet is not one that receives payments of your account on this network; name one that does.',
  ),
  refund_not_available: entry(
    422,
    'merchant',
    'Refunds by signature are not available for this token; send the transfer yourself and report its transactionId.',
  ),
  refund_signature_invalid: entry(
    422,
    'merchant',
    'The signature is not that of the wallet for the prepared terms; sign them as they came.',
  ),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
