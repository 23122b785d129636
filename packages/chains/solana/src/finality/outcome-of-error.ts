// Maps a transaction's error to its meaning for the payment.

import { PROGRAM_CODES } from '../message/program-codes.ts';

type Meaning = 'insufficient_funds' | 'pull_refused' | 'authorization_used' | 'expired' | 'no_gas' | 'unsure';

/** Error code of the token program for an insufficient balance. */
const TOKEN_INSUFFICIENT_FUNDS = 1n;

export function outcomeOfError(error: unknown): Meaning {
  if (typeof error === 'string') {
    if (error === 'InsufficientFundsForFee' || error === 'AccountNotFound') return 'no_gas';
    // The transaction is on chain already: its outcome must be read first.
    return error === 'AlreadyProcessed' ? 'authorization_used' : 'unsure';
  }
  const custom = customCode(error);
  // Our own transaction may have made the receipt: its outcome is read first.
  if (custom === PROGRAM_CODES.used) return 'authorization_used';
  if (custom === PROGRAM_CODES.window) return 'expired';
  return custom === TOKEN_INSUFFICIENT_FUNDS ? 'insufficient_funds' : 'pull_refused';
}

function customCode(error: unknown): bigint | undefined {
  const { InstructionError: failed } = (error ?? {}) as { readonly InstructionError?: readonly unknown[] };
  const { Custom: code } = (failed?.[1] ?? {}) as { readonly Custom?: bigint };
  return code;
}
