// Checks by the accounts of a payment whether it would succeed. The relayer creates none of them: a recipient could
// close a token account that the relayer's rent paid for, and keep the rent.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { ChainAccount } from '../rpc/solana-node.ts';
import { judgeMint } from './judge-mint.ts';
import { tokenAccountOf } from './token-account.ts';
import { readTokenAccount } from './token-account-data.ts';
import type { TransferTerms } from './transfer-terms.ts';

/** Addresses of the mint, the payer's and the recipients' accounts: the order that `accountsProblem` expects. */
export async function accountsOf({ payer, mint, tokenProgram, legs }: TransferTerms): Promise<readonly string[]> {
  const owners = [payer, ...legs.map(({ owner }) => owner)];
  return [mint, ...(await Promise.all(owners.map((owner) => tokenAccountOf(owner, mint, tokenProgram))))];
}

export type AccountsProblem = Extract<
  ErrorCode,
  'x402_not_available_for_token' | 'x402_temporarily_unavailable' | 'insufficient_funds' | 'token_refused'
>;

/** Undefined when the payment would succeed. */
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
    // An owner may transfer the ownership of its account; then the account is no longer the recipient's.
    if (account?.owner !== owner || account.mint !== terms.mint || account.frozen)
      return 'x402_temporarily_unavailable';
  }
  const payers = source === null ? undefined : readTokenAccount(source);
  if (payers === undefined || payers.owner !== terms.payer) return 'insufficient_funds';
  if (payers.frozen) return 'token_refused';
  const total = terms.legs.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
  return payers.amountAtomic < total ? 'insufficient_funds' : undefined;
}

/** What the payer has, by the same accounts. */
export function balanceIn([, source = null]: readonly (ChainAccount | null)[]): bigint {
  return (source && readTokenAccount(source)?.amountAtomic) ?? 0n;
}
