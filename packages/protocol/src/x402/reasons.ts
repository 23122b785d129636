// Our error codes in the published names of x402. Our own code and sentence go into `errorMessage`.
import type { ErrorCode } from '../errors/catalogue.ts';
import { familyOf } from '../network/network.ts';
import { parseAnyNetwork } from './network-names.ts';

export const SETTLEMENT_PENDING = 'settlement_pending';
export const DUPLICATE_SETTLEMENT = 'duplicate_settlement';

type Names = { readonly v2: string; readonly v1: string };
const both = (name: string): Names => ({ v2: name, v1: name });

/** On EVM. Version 1's packages refuse an answer with a name that is not in their list. */
const EVM_NAMES: Partial<Record<ErrorCode, Names>> = {
  invalid_payment_header: both('invalid_payload'),
  invalid_signature: { v2: 'invalid_exact_evm_signature', v1: 'invalid_exact_evm_payload_signature' },
  wallet_not_deployed: both('invalid_exact_evm_payload_undeployed_smart_wallet'),
  authorization_not_yet_valid: both('invalid_exact_evm_payload_authorization_valid_after'),
  authorization_expired: both('invalid_exact_evm_payload_authorization_valid_before'),
  authorization_window_too_long: both('invalid_exact_evm_payload_authorization_valid_before'),
  authorization_already_used: { v2: 'invalid_exact_evm_nonce_already_used', v1: 'invalid_transaction_state' },
  authorization_bound_elsewhere: both(DUPLICATE_SETTLEMENT),
  recipient_mismatch: {
    v2: 'invalid_exact_evm_recipient_mismatch',
    v1: 'invalid_exact_evm_payload_recipient_mismatch',
  },
  amount_mismatch: {
    v2: 'invalid_exact_evm_payload_authorization_value_mismatch',
    v1: 'invalid_exact_evm_payload_authorization_value',
  },
  network_mismatch: { v2: 'invalid_exact_evm_network_mismatch', v1: 'invalid_network' },
  scheme_mismatch: { v2: 'invalid_exact_evm_scheme', v1: 'invalid_scheme' },
  asset_mismatch: both('invalid_payment_requirements'),
  acceptance_mismatch: both('invalid_payment_requirements'),
  insufficient_funds: { v2: 'invalid_exact_evm_insufficient_balance', v1: 'insufficient_funds' },
  token_refused: { v2: 'invalid_exact_evm_transaction_simulation_failed', v1: 'invalid_transaction_state' },
};

/** On Solana, where they differ. */
const SOLANA_NAMES: Partial<Record<ErrorCode, Names>> = {
  invalid_signature: { v2: 'invalid_exact_svm_payload_signature_invalid', v1: 'invalid_exact_svm_payload_transaction' },
  authorization_not_yet_valid: both('invalid_exact_svm_payload_transaction'),
  authorization_expired: both('settle_exact_svm_block_height_exceeded'),
  authorization_window_too_long: both('invalid_exact_svm_payload_transaction'),
  authorization_already_used: both('invalid_transaction_state'),
  recipient_mismatch: {
    v2: 'invalid_exact_svm_payload_recipient_mismatch',
    v1: 'invalid_exact_svm_payload_transaction_transfer_to_incorrect_ata',
  },
  amount_mismatch: {
    v2: 'invalid_exact_svm_payload_amount_mismatch',
    v1: 'invalid_exact_svm_payload_transaction_amount_mismatch',
  },
  asset_mismatch: { v2: 'invalid_exact_svm_payload_mint_mismatch', v1: 'invalid_payment_requirements' },
  network_mismatch: { v2: 'invalid_exact_svm_network_mismatch', v1: 'invalid_network' },
  scheme_mismatch: both('unsupported_scheme'),
  insufficient_funds: both('insufficient_funds'),
  token_refused: {
    v2: 'invalid_exact_svm_transaction_simulation_failed',
    v1: 'invalid_exact_svm_payload_transaction_simulation_failed',
  },
  transaction_altered: both('invalid_exact_svm_payload_transaction'),
};

export type X402Step = 'verify' | 'settle';

/**
 * The published name for one of our codes, on a network as the client names it; a code without one is
 * `unexpected_verify_error` or `unexpected_settle_error`.
 */
export function x402ReasonOf(code: ErrorCode, version: 1 | 2, network: string, step: X402Step): string {
  const parsed = parseAnyNetwork(network);
  const isSolana = parsed !== undefined && familyOf(parsed) === 'solana';
  const names = (isSolana ? SOLANA_NAMES[code] : undefined) ?? EVM_NAMES[code];
  return names?.[version === 1 ? 'v1' : 'v2'] ?? `unexpected_${step}_error`;
}
