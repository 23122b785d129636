// A transaction's error, as what it means for its payment.

type Meaning = 'insufficient_funds' | 'pull_refused' | 'authorization_used' | 'no_gas' | 'unsure';

/** The token program's own code for too small a balance. */
const TOKEN_INSUFFICIENT_FUNDS = 1n;

export function outcomeOfError(error: unknown): Meaning {
  if (typeof error === 'string') {
    if (error === 'InsufficientFundsForFee' || error === 'AccountNotFound') return 'no_gas';
    // It is on the chain already: who put it there, and with what end, must be found out first.
    return error === 'AlreadyProcessed' ? 'authorization_used' : 'unsure';
  }
  const custom = customCode(error);
  return custom === TOKEN_INSUFFICIENT_FUNDS ? 'insufficient_funds' : 'pull_refused';
}

function customCode(error: unknown): bigint | undefined {
  const { InstructionError: failed } = (error ?? {}) as { readonly InstructionError?: readonly unknown[] };
  const { Custom: code } = (failed?.[1] ?? {}) as { readonly Custom?: bigint };
  return code;
}
