// A direct payout of a shop: exact payments in mock USDC go to a wallet of the merchant's own. Signed by the wallet and by
// the chain's approver, whose address the services have in SVC_PAYOUT_APPROVERS.
import { nextTerms, type WalletUse } from '@svc-pay/core';
import { addressOfKey, signActivation } from '@svc-pay/evm';
import type { LocalChain } from '@svc-pay/evm/local';
import { activatePayout, loadActivationFacts } from '@svc-pay/postgres/operator';
import { evmNetwork } from '@svc-pay/protocol';
import type pg from 'pg';
import type { Address } from 'viem';
import { generatePrivateKey } from 'viem/accounts';

/** Returns the wallet, in lower case. */
export async function openDirectPayout(
  pool: pg.Pool,
  { keys, chainId, tokens }: Pick<LocalChain, 'keys' | 'chainId' | 'tokens'>,
  accountId: string,
  use: WalletUse = 'exclusive',
  walletKey = generatePrivateKey(),
): Promise<Address> {
  const operation = { pool, nowMs: Date.now(), actor: 'operator:test' };
  const approverKey = keys.payoutApprover.privateKey;
  const wanted = {
    accountId,
    mode: 'test',
    network: evmNetwork(chainId),
    asset: tokens.usdc.toLowerCase(),
    wallet: addressOfKey(walletKey).toLowerCase(),
    use,
  } as const;
  const facts = await loadActivationFacts(pool, wanted, { nowMs: operation.nowMs, delayMs: 0 });
  const terms = nextTerms(wanted, facts);
  const activation = {
    ...terms,
    walletSignature: await signActivation(terms, walletKey),
    approver: addressOfKey(approverKey).toLowerCase(),
    approverSignature: await signActivation(terms, approverKey),
  };
  const activated = await activatePayout(operation, activation, { delayMs: 0 });
  if (!activated.ok) throw new Error(activated.code);
  return wanted.wallet as Address;
}

/** Until the chain reader follows the token: a use before that it would not see. */
export async function isRead(pool: pg.Pool, token: string): Promise<boolean> {
  const { rowCount } = await pool.query('select from svc.reader_cursors where address = $1', [token.toLowerCase()]);
  return rowCount === 1;
}
