import { expect, test } from 'vitest';
import { TRANSACTION } from '../testing/fake-facilitator.ts';
import { isInUse, settleOutcome } from './judge-answer.ts';

const USED = 'authorization_already_used: This authorization was already used or canceled.';

test.each([
  ['invalid_exact_evm_nonce_already_used', undefined, true],
  // Version 1, and Solana in both versions.
  ['invalid_transaction_state', USED, true],
  ['invalid_transaction_state', undefined, true],
  ['invalid_transaction_state', 'token_refused: The token refuses this payment.', false],
  ['duplicate_settlement', 'authorization_bound_elsewhere: Another call has verified this payment.', true],
  ['settlement_pending', undefined, true],
  ['invalid_exact_evm_signature', 'invalid_signature: The signature is not of the payer.', false],
  ['insufficient_funds', undefined, false],
])('a verify that says %s (%s): the payment is in use %s', (reason, message, expected) => {
  expect(isInUse(reason, message)).toBe(expected);
});

test.each([
  ['settlement_pending', '', '', 'pending'],
  ['duplicate_settlement', '', TRANSACTION, 'in_use'],
  // A stranger submitted the authorization: the money is in the wallet.
  ['invalid_exact_evm_nonce_already_used', USED, '', 'in_use'],
  ['invalid_transaction_state', USED, '', 'in_use'],
  // A token that takes a fee: the money moved.
  ['invalid_exact_evm_payload_authorization_value_mismatch', 'amount_mismatch: Another amount.', TRANSACTION, 'in_use'],
  ['invalid_exact_evm_payload_authorization_value', 'amount_mismatch: Another amount.', TRANSACTION, 'in_use'],
  ['invalid_exact_evm_payload_authorization_value_mismatch', 'amount_mismatch: Another amount.', '', 'failed'],
  ['unexpected_settle_error', 'chain_unavailable: The chain can not be reached.', '', 'pending'],
  ['unexpected_settle_error', 'internal_error: Something is broken.', '', 'pending'],
  ['unexpected_settle_error', 'A sentence.', '', 'pending'],
  ['unexpected_settle_error', 'payer_denied: This wallet is refused.', '', 'failed'],
  ['invalid_exact_evm_insufficient_balance', 'insufficient_funds: Not enough.', '', 'failed'],
])('a settle that says %s (%s) with transaction "%s" is %s', (errorReason, errorMessage, transaction, expected) => {
  const receipt = { success: false, errorReason, errorMessage, transaction, network: 'eip155:84532' };
  expect(settleOutcome(receipt).status).toBe(expected);
});
