// Direct payout of the development account: exact payments go straight to the merchant's own wallet. Safe to repeat: an
// activation that the database has is kept.
import { nextTerms } from '@svc-pay/core';
import { addressOfKey, signActivation } from '@svc-pay/evm';
import type { LocalChain } from '@svc-pay/evm/local';
import { activatePayout, loadActivationFacts, type Operation } from '@svc-pay/postgres/operator';
import { evmNetwork } from '@svc-pay/protocol';
import { concat, keccak256, stringToHex } from 'viem';

/** Returns the wallet's address. Its key derives from the chain's keys, so it stays the same while the chain is kept. */
export async function activateDevWallet(operation: Operation, accountId: string, chain: LocalChain): Promise<string> {
  const { faucet, payoutApprover } = chain.keys;
  const walletKey = keccak256(concat([faucet.privateKey, stringToHex('merchant of the sandbox')]));
  const wanted = {
    accountId,
    mode: 'test',
    network: evmNetwork(chain.chainId),
    asset: chain.tokens.usdc.toLowerCase(),
    wallet: addressOfKey(walletKey),
    use: 'exclusive',
  } as const;
  const delayMs = 0;
  const facts = await loadActivationFacts(operation.pool, wanted, { nowMs: operation.nowMs, delayMs });
  if (facts.newest?.activation.wallet === wanted.wallet) return wanted.wallet;
  const terms = nextTerms(wanted, facts);
  const activation = {
    ...terms,
    walletSignature: await signActivation(terms, walletKey),
    approver: addressOfKey(payoutApprover.privateKey),
    approverSignature: await signActivation(terms, payoutApprover.privateKey),
  };
  const activated = await activatePayout(operation, activation, { delayMs });
  if (!activated.ok) throw new Error(`the wallet can't be activated: ${activated.code}; start with --fresh`);
  return wanted.wallet;
}
