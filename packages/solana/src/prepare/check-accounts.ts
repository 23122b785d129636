// Whether a payment would go through, by the accounts it touches. The relayer creates none of them: a recipient without
// a token account would be given one with the relayer's rent, and could close it for the money.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { judgeMint } from '../mint/judge-mint.ts';
import { readTokenAccount } from '../mint/token-account-data.ts';
import type { ChainAccount } from '../rpc/solana-node.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';

/** Mint, payer's account, recipients' accounts: in this order `checkAccounts` takes what stands in them. */
export async function accountsOf({ payer, mint, tokenProgram, legs }: TransferTerms): Promise<readonly string[]> {
  const owners = [payer, ...legs.map(({ owner }) => owner)];
  return [mint, ...(await Promise.all(owners.map((owner) => tokenAccountOf(owner, mint, tokenProgram))))];
}

export type AccountsProblem = Extract<
  ErrorCode,
  'x402_not_available_for_token' | 'x402_temporarily_unavailable' | 'insufficient_funds' | 'token_refused'
>;

/** Undefined when nothing stands in the way. */
export function accountsProblem(
  terms: TransferTerms,
  accounts: readonly (ChainAccount | null)[],
): AccountsProblem | undefined {
  const [mintAccount = null, source = null, ...destinations] = accounts;
  const mint = judgeMint(mintAccount);
  if (!mint.ok || mint.tokenProgram !== terms.tokenProgram || mint.decimals !== terms.decimals) {
    return 'x402_not_available_for_token';
  }
  for (const [index, { owner }] of terms.legs.entries()) {
    const found = destinations[index];
    const account = found ? readTokenAccount(found) : undefined;
    // An owner may give its account away; then it is not where this payment belongs.
    if (account?.owner !== owner || account.mint !== terms.mint || account.frozen)
      return 'x402_temporarily_unavailable';
  }
  const payers = source === null ? undefined : readTokenAccount(source);
  if (payers === undefined || payers.owner !== terms.payer) return 'insufficient_funds';
  if (payers.frozen) return 'token_refused';
  const total = terms.legs.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
  return payers.amountAtomic < total ? 'insufficient_funds' : undefined;
}
