// A transaction's error, as what it means for its payment.

import { PROGRAM_CODES } from '../message/program-codes.ts';

type Meaning = 'insufficient_funds' | 'pull_refused' | 'authorization_used' | 'expired' | 'no_gas' | 'unsure';

/** The token program's own code for too small a balance. */
const TOKEN_INSUFFICIENT_FUNDS = 1n;

export function outcomeOfError(error: unknown): Meaning {
  if (typeof error === 'string') {
    if (error === 'InsufficientFundsForFee' || error === 'AccountNotFound') return 'no_gas';
    // It is on the chain already: who put it there, and with what end, must be found out first.
    return error === 'AlreadyProcessed' ? 'authorization_used' : 'unsure';
  }
  const custom = customCode(error);
  // Our own transaction may have made the receipt: what became of it is asked for first.
  if (custom === PROGRAM_CODES.used) return 'authorization_used';
  if (custom === PROGRAM_CODES.window) return 'expired';
  return custom === TOKEN_INSUFFICIENT_FUNDS ? 'insufficient_funds' : 'pull_refused';
}

function customCode(error: unknown): bigint | undefined {
  const { InstructionError: failed } = (error ?? {}) as { readonly InstructionError?: readonly unknown[] };
  const { Custom: code } = (failed?.[1] ?? {}) as { readonly Custom?: bigint };
  return code;
}
