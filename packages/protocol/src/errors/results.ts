// Codes of business results: settle, confirm and relay answer them in their own body, without a sentence. Apart from the
// refusals, whose sentence comes with the answer, so that a page loads only these.
import { type CatalogueEntry, entry } from './catalogue-entry.ts';

export const RESULTS = {
  x402_not_available_for_token: entry(200, 'payer', 'This token cannot be paid by signature; choose another.'),
  x402_minimum_amount_not_met: entry(
    200,
    'payer',
    'The amount is below the minimum of the network; pay more, or choose another network.',
  ),
  x402_temporarily_unavailable: entry(
    200,
    'payer',
    'Paying by signature is paused, or the amount is above the limit; pay less, or later.',
    true,
  ),
  x402_upto_settlement_requires_secret_key: entry(
    200,
    'merchant',
    'An up-to intent is settled by the merchant; use the secret key on the server.',
  ),
  invalid_payment_header: entry(200, 'merchant', 'The payment header cannot be read; send the base64 of its JSON.'),
  invalid_signature: entry(200, 'payer', 'The signature is not the payer’s for these terms; sign again.'),
  wallet_not_deployed: entry(
    200,
    'payer',
    'The wallet has no code on this chain yet (ERC-6492), so the token cannot check it; deploy it, then sign again.',
  ),
  authorization_not_yet_valid: entry(200, 'payer', 'The authorization is not valid yet; check the clock.', true),
  authorization_expired: entry(200, 'payer', 'The authorization has expired; sign again.'),
  authorization_window_too_long: entry(
    200,
    'payer',
    'The authorization is valid for longer than was asked; sign again.',
  ),
  authorization_already_used: entry(200, 'payer', 'This authorization was already used or canceled.'),
  authorization_bound_elsewhere: entry(200, 'payer', 'This authorization belongs to another intent; sign again.'),
  recipient_mismatch: entry(
    200,
    'merchant',
    'The authorization pays another address than the acceptance; sign the acceptance as it came.',
  ),
  asset_mismatch: entry(200, 'merchant', 'The token is not the one of the acceptance; sign the acceptance as it came.'),
  amount_mismatch: entry(
    200,
    'merchant',
    'The signed amount is not the one of the acceptance; sign the acceptance as it came.',
  ),
  network_mismatch: entry(
    200,
    'merchant',
    'The network is not the one of the acceptance; sign the acceptance as it came.',
  ),
  scheme_mismatch: entry(200, 'merchant', 'The scheme is not the one of the intent; sign the acceptance as it came.'),
  acceptance_mismatch: entry(
    200,
    'merchant',
    'The payment requirements differ from what the intent offered; sign the acceptance as it came.',
  ),
  sender_mismatch: entry(200, 'payer', 'The intent expects another payer.'),
  payer_denied: entry(200, 'payer', 'This wallet is refused; pay with another wallet.'),
  permit_nonce_mismatch: entry(200, 'payer', 'The token expects another nonce; sign again.'),
  insufficient_funds: entry(200, 'payer', 'The wallet does not hold enough of this token.', true),
  transaction_altered: entry(200, 'payer', 'The signed transaction is not the prepared one; prepare it again.'),
  approval_missing: entry(200, 'payer', 'The wallet has not approved enough; send the setup transaction.', true),
  not_available: entry(200, 'merchant', 'Signed messages are not supported here; sign the prepared transaction.'),
  token_refused: entry(200, 'payer', 'The token refused the transfer; ask its issuer, or pay with another wallet.'),
  gas_budget_spent: entry(200, 'payer', 'Too much gas was lost; pay with another wallet, or later.', true),
  intent_not_payable: entry(200, 'payer', 'The intent is paid, canceled or expired; create another.'),
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
