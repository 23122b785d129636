// Codes of refunds: refusals of their routes, and why a refund failed.
import { type CatalogueEntry, entry } from './catalogue-entry.ts';

export const REFUND_ERRORS = {
  refund_payment_not_final: entry(
    409,
    'merchant',
    'The payment can still be taken back by its chain; try again in a few minutes.',
    true,
  ),
  refund_not_possible: entry(
    409,
    'merchant',
    'Nothing can be refunded: read the status of the payment, it must be completed or mismatched.',
  ),
  refund_found_on_chain: entry(
    409,
    'merchant',
    'The chain has a refund of this payment that the service did not know; wait until it is completed, then ask again.',
  ),
  refund_limit_reached: entry(
    409,
    'merchant',
    'A payment has at most 10 prepared and 3 open refunds; wait for the end of one, or cancel a prepared one.',
    true,
  ),
  refund_recipient_refused: entry(
    409,
    'merchant',
    'The token refuses this transfer: an address is blocked, or the token is paused; ask its issuer.',
    true,
  ),
  refund_insufficient_funds: entry(
    409,
    'merchant',
    'The wallet holds less than the refund; send tokens to it, or name another wallet in `from`.',
    true,
  ),
  refund_not_prepared: entry(
    409,
    'merchant',
    'The refund was submitted or canceled before; read its status, and create another one if it is canceled.',
  ),
  refund_superseded: entry(
    409,
    'merchant',
    'Another refund of this payment was submitted since; create this one again, and sign the new terms.',
  ),
  refund_expired: entry(409, 'merchant', 'The time to sign or to carry out the refund is over; create another one.'),
  refund_authorization_canceled: entry(
    409,
    'merchant',
    'The wallet canceled the authorization of this refund; create another one.',
  ),
  refund_transfer_unproven: entry(
    409,
    'merchant',
    'The transaction is no refund of this payment; it must move its token from your wallet to the payer, later, and count once.',
  ),
  refund_exceeds_paid: entry(
    422,
    'merchant',
    'The amount is above what is left of the payment; read its refunds, and send at most the rest.',
  ),
  refund_recipient_needed: entry(
    422,
    'merchant',
    'The payer cannot receive on this chain; ask the payer for an address, and name it in `refundTo`.',
  ),
  refund_to_not_needed: entry(
    422,
    'merchant',
    'The payer can receive the refund: leave out `refundTo`, another address is not taken.',
  ),
  refund_wallet_unknown: entry(
    422,
    'merchant',
    'The wallet is not one that your account is paid on, in this mode and network; use the wallet of a payout.',
  ),
  refund_signature_invalid: entry(
    422,
    'merchant',
    'The signature is not the wallet’s for this refund; sign what the create request answered, unchanged.',
  ),
  refund_signature_not_available: entry(
    422,
    'merchant',
    'This token takes no signed refund; send the transfer yourself, then report its transactionId.',
  ),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
