import type { OpenRefund } from '@svc-pay/core';
import { findTransactionOutcome } from '../finality/find-transaction-outcome.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { ENDLESS } from './find-referred.ts';

/** The slot that the payment landed in. Undefined where neither the database nor the nodes know it. */
export async function paidSlotOf(
  nodes: readonly SolanaNode[],
  { transactionId, blockNumber }: OpenRefund['payment'],
): Promise<bigint | undefined> {
  if (blockNumber !== null) return blockNumber;
  if (transactionId === null) return undefined;
  const outcome = await findTransactionOutcome(nodes, { transactionId, lifetime: ENDLESS });
  return outcome.kind === 'landed' ? outcome.landing.slot : undefined;
}
