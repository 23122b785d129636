// The allowance that `pay` needs: exactly the amount, so that a second `pay` by the same allowance reverts.
import type { Acceptance } from '@svc-pay/protocol';
import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import { pauseMs } from '../http/pause.ts';
import { haltIfAborted } from '../http/race.ts';
import type { WalletCall } from '../wallet.ts';
import type { ContractCall } from './check-calls.ts';
import type { Eip1193Provider } from './eip1193.ts';
import { askToken } from './read-token.ts';
import { readReceipt, sendTransaction } from './send-transaction.ts';
import { assertChain } from './switch-network.ts';

/** A node may answer with an allowance from before the block that has the receipt. */
const ROUNDS_AFTER_RECEIPT = 6;

export type Approval = {
  readonly provider: Eip1193Provider;
  readonly acceptance: Acceptance;
  readonly chainId: number;
  readonly payer: string;
  readonly approve: ContractCall;
};

/** Ends when the allowance is there, at once if it was there before. Nothing is paid here, whatever goes wrong. */
export async function approveAmount(approval: Approval, call: WalletCall): Promise<void> {
  const { provider, approve, payer, chainId } = approval;
  if ((await readAllowance(approval, call)) === 'enough') return;
  await assertChain(provider, chainId, call);
  try {
    const hash = await sendTransaction(provider, approve, { payer, chainId }, call);
    await awaitAllowance(approval, hash, call);
  } catch (problem) {
    throw problem instanceof SvcPayError ? withAttempt(problem, { moneyMoved: 'no' }) : problem;
  }
}

async function awaitAllowance(approval: Approval, hash: string | null, call: WalletCall): Promise<void> {
  const { ports, signal, walletTimeoutMs } = call;
  const untilMs = ports.nowMs() + walletTimeoutMs;
  let roundsAfterReceipt = 0;
  for (let round = 0; ports.nowMs() < untilMs; round += 1) {
    await ports.sleep(pauseMs(ports, round), signal);
    haltIfAborted(signal);
    const receipt = hash === null ? undefined : await readReceipt(approval.provider, hash, call);
    if (receipt?.isReverted === true) throw new SvcPayError('approval_failed', { reason: 'reverted' });
    const allowance = await readAllowance(approval, call);
    if (allowance === 'enough' || (allowance === undefined && receipt !== undefined)) return;
    if (receipt !== undefined) roundsAfterReceipt += 1;
    // Wallets let a person write a smaller amount.
    if (roundsAfterReceipt > ROUNDS_AFTER_RECEIPT) throw new SvcPayError('approval_failed', { reason: 'amount' });
  }
  throw new SvcPayError('approval_failed', { reason: 'timeout', retryable: true });
}

async function readAllowance(
  { provider, acceptance, chainId, payer }: Approval,
  call: WalletCall,
): Promise<'enough' | 'short' | undefined> {
  const allowed = await askToken('allowance', { provider, walletChainId: chainId, acceptance, owner: payer }, call);
  if (allowed === undefined) return undefined;
  return allowed >= BigInt(acceptance.maxAmountRequired) ? 'enough' : 'short';
}
