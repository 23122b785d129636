// A relayer is added through the timelock and removed without delay: every key can renounce its own role. That works
// for a stolen key too, because the operator still holds the key and only the council can grant the role again.
import { type Address, bytesToHex, encodeFunctionData } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { signTransaction } from '../send/sign-transaction.ts';
import type { TransactionSigner } from '../signer/transaction-signer.ts';
import { type AdminClient, openChain } from './open-chain.ts';
import { grantCall, ROLES, revokeCall } from './roles.ts';
import { type CallOutcome, sendCall } from './send-call.ts';
import type { TimelockOperation } from './timelock.ts';

/** Grants the role to `incoming` and revokes it from `outgoing` in one operation of the council. */
export function rotateRelayerOperation(
  processor: Address,
  change: { readonly incoming: Address; readonly outgoing: Address },
): TimelockOperation {
  return {
    label: `relayer ${change.incoming} instead of ${change.outgoing}`,
    calls: [grantCall(processor, 'relayer', change.incoming), revokeCall(processor, 'relayer', change.outgoing)],
  };
}

/** For a lost key: the council revokes its role. */
export function revokeRelayerOperation(processor: Address, relayer: Address): TimelockOperation {
  return { label: `revoke relayer ${relayer}`, calls: [revokeCall(processor, 'relayer', relayer)] };
}

/** `chain` is the relayer's own account; its role ends with this transaction. */
export async function retireRelayer(chain: AdminClient, processor: Address): Promise<CallOutcome> {
  const data = encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'renounceRole',
    args: [ROLES.relayer, chain.account.address],
  });
  return sendCall(chain, { to: processor, data });
}

export type RetiredRelayer =
  | Extract<CallOutcome, { ok: true }>
  | { readonly ok: false; readonly code: 'relayer_has_no_role' | 'role_not_given_up' };

/** Times the usual fee: the transaction replaces one of the same nonce, such as a thief's. */
const URGENT_FEE = 3n;

/**
 * The same by a signer that gives its key to nobody, as settlement has it. It takes the next nonce that is not mined: a payment
 * of the lane that has this nonce is queued again, and is settled by another relayer.
 */
export async function retireRelayerBySigner(
  rpcUrl: string,
  signer: TransactionSigner,
  processor: Address,
): Promise<RetiredRelayer> {
  const chain = await openChain({ rpcUrl, account: { address: signer.address, type: 'json-rpc' } });
  const holds = () =>
    chain.readContract({
      abi: paymentProcessorAbi,
      address: processor,
      functionName: 'hasRole',
      args: [ROLES.relayer, signer.address],
    });
  if (!(await holds())) return { ok: false, code: 'relayer_has_no_role' };
  const call = {
    to: processor,
    data: encodeFunctionData({
      abi: paymentProcessorAbi,
      functionName: 'renounceRole',
      args: [ROLES.relayer, signer.address],
    }),
  };
  const [nonce, gas, usual] = await Promise.all([
    chain.getTransactionCount({ address: signer.address, blockTag: 'latest' }),
    chain.estimateGas({ account: signer.address, ...call }),
    chain.estimateFeesPerGas(),
  ]);
  const fees = {
    maxFeePerGas: usual.maxFeePerGas * URGENT_FEE,
    maxPriorityFeePerGas: usual.maxPriorityFeePerGas * URGENT_FEE,
  };
  const unsigned = { chainId: chain.chain.id, nonce: BigInt(nonce), call: { ...call, gas }, fees };
  const { raw } = await signTransaction(signer, unsigned);
  const transactionHash = await chain.sendRawTransaction({ serializedTransaction: bytesToHex(raw) });
  const { blockNumber } = await chain.waitForTransactionReceipt({ hash: transactionHash });
  if (await holds()) return { ok: false, code: 'role_not_given_up' };
  return { ok: true, transactionHash, blockNumber };
}
