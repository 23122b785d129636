// Gas budgets at settle. A payer over its own budget is refused before any chain is asked; a contract wallet that is bound
// by the budgets of others, after its signature was verified: only then it is known as one.
import type { Caller } from '../account/authenticate.ts';
import { judgeWallet } from '../budget/judge-wallet.ts';
import type { VerifiedPayment } from '../payment/claim-payment.ts';
import { normalizeAddress } from '../token/address.ts';
import type { SettlePorts } from './settle-ports.ts';

export async function isWithinBudget(
  { loadWalletBudget }: Pick<SettlePorts, 'loadWalletBudget'>,
  { accountId }: Caller,
  { byContract, codeHash, authorization, acceptance, direct }: VerifiedPayment,
): Promise<boolean> {
  // A bound authorization that somebody used already costs no gas: the chain's logs complete it.
  if (!byContract || direct?.used === true) return true;
  const party = { accountId, payer: normalizeAddress(authorization.from), codeHash };
  return judgeWallet(byContract, await loadWalletBudget(acceptance.network, party)) === 'open';
}
