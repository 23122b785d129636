// Sends one call and waits until it is mined. A revert is returned as a value with the contract's error name; only
// failures between this process and the chain throw.
import { type Address, BaseError, decodeErrorResult, type Hex, isHex } from 'viem';
import { adminTimelockAbi } from '../generated/admin-timelock-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { AdminClient } from './open-chain.ts';

export type Call = { readonly to: Address; readonly data: Hex };

export type CallOutcome =
  | { readonly ok: true; readonly transactionHash: Hex; readonly blockNumber: bigint }
  | { readonly ok: false; readonly code: 'reverted'; readonly reason: string; readonly transactionHash: Hex | null };

const knownErrors = [...paymentProcessorAbi, ...adminTimelockAbi].filter((entry) => entry.type === 'error');

export async function sendCall(chain: AdminClient, call: Call): Promise<CallOutcome> {
  let transactionHash: Hex;
  try {
    transactionHash = await chain.sendTransaction(call);
  } catch (problem) {
    const reason = revertReason(problem);
    if (reason === undefined) throw problem;
    return { ok: false, code: 'reverted', reason, transactionHash: null };
  }
  const receipt = await chain.waitForTransactionReceipt({ hash: transactionHash });
  if (receipt.status === 'success') return { ok: true, transactionHash, blockNumber: receipt.blockNumber };
  return { ok: false, code: 'reverted', reason: 'the transaction was mined and reverted', transactionHash };
}

/** For example `PayoutExists(7)`; undefined when the problem is not a revert. */
function revertReason(problem: unknown): string | undefined {
  if (!(problem instanceof BaseError)) return undefined;
  const carrier = problem.walk((cause) => revertData(cause) !== undefined);
  const data = revertData(carrier);
  if (data !== undefined) {
    try {
      const { errorName, args } = decodeErrorResult({ abi: knownErrors, data });
      return `${errorName}(${(args ?? []).map(String).join(', ')})`;
    } catch {
      return `an unknown error, ${data.slice(0, 10)}`;
    }
  }
  const reverted = problem.walk((cause) => cause instanceof Error && cause.name === 'ExecutionRevertedError');
  return reverted instanceof BaseError ? reverted.shortMessage : undefined;
}

function revertData(cause: unknown): Hex | undefined {
  if (typeof cause !== 'object' || cause === null || !('data' in cause)) return undefined;
  return isHex(cause.data) && cause.data.length >= 10 ? cause.data : undefined;
}
