// Which flying batches are mined, and what became of every payment in them.
import { ChainUnavailable, type FlyingBatch, type MinedBatch, type MinedItem } from '@svc-pay/core';
import { encodeFunctionData, numberToHex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { DISAGREEMENT } from '../rpc/agree-on-ends.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { askChain, quantityOf, resultOf } from './ask-chain.ts';
import { readEvidence } from './item-evidence.ts';
import { type Receipt, readReceipt } from './read-receipt.ts';
import { readRecoveryEvidence } from './recovery-evidence.ts';
import { replayLegs } from './replay-legs.ts';
import { wordOf } from './settlement-logs.ts';

type Found = { readonly batch: FlyingBatch; readonly receipt: Receipt };

export async function findMined(rpc: JsonRpc, batches: readonly FlyingBatch[]): Promise<readonly MinedBatch[]> {
  const asked = batches.flatMap((batch) => batch.transactions.map(({ transactionId }) => ({ batch, transactionId })));
  if (asked.length === 0) return [];
  const [head, ...answers] = await askChain(rpc, [
    { method: 'eth_blockNumber', params: [] },
    ...asked.map(({ transactionId }) => ({ method: 'eth_getTransactionReceipt', params: [transactionId] })),
  ]);
  const found = asked.flatMap(({ batch, transactionId }, index): Found[] => {
    const answer = answers[index];
    // Where endpoints contradict each other it is not mined yet, as far as anybody can say.
    if (answer?.ok === false && answer.code === DISAGREEMENT) return [];
    const receipt = readReceipt(resultOf(answer));
    return receipt?.transactionId === transactionId.toLowerCase() ? [{ batch, receipt }] : [];
  });
  if (found.length === 0) return [];
  const feeRecipients = await readFeeRecipients(rpc, found);
  const headNumber = quantityOf(resultOf(head));
  return found.map((mined, index) => minedBatch(mined, feeRecipients[index] ?? '', headNumber));
}

function minedBatch({ batch, receipt }: Found, feeRecipientAtBlock: string, headNumber: bigint): MinedBatch {
  const { transactionId, blockNumber, blockHash, reverted, gasCostAtomic, logs } = receipt;
  const recovers = batch.items.some(({ recovery }) => recovery !== undefined);
  const evidence = reverted ? [] : (recovers ? readRecoveryEvidence : readEvidence)(batch.items, logs);
  const { escrowedFor, feeRecipient = feeRecipientAtBlock } = replayLegs(batch.items, evidence, logs);
  const items = batch.items.map(({ paymentId }, index): MinedItem => {
    const found = evidence[index];
    if (reverted) return { paymentId, outcome: 'reverted' };
    if (found === undefined) return { paymentId, outcome: 'no_evidence' };
    if (found.outcome !== 'settled') return { paymentId, outcome: found.outcome };
    return { paymentId, ...found, escrowedFor: escrowedFor[index] ?? [] };
  });
  return {
    batchId: batch.id,
    transactionId,
    blockNumber,
    blockHash,
    // A node that answers the receipt has that block, whatever it says of its head.
    confirmations: headNumber < blockNumber ? 1n : headNumber - blockNumber + 1n,
    reverted,
    gasCostAtomic,
    feeRecipient,
    items,
  };
}

/** At the transaction's own block; a node that no longer has that state is asked for today's. */
async function readFeeRecipients(rpc: JsonRpc, found: readonly Found[]): Promise<readonly string[]> {
  const data = encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'feeRecipient' });
  const answers = await askChain(
    rpc,
    found.flatMap(({ batch, receipt }) =>
      [numberToHex(receipt.blockNumber), 'latest'].map(
        (block): RpcCall => ({ method: 'eth_call', params: [{ to: batch.items[0]?.processor, data }, block] }),
      ),
    ),
  );
  return found.map((_, index) => {
    const address = addressIn(answers[2 * index]) ?? addressIn(answers[2 * index + 1]);
    if (address === undefined) throw new ChainUnavailable('the processor does not tell who gets its fees');
    return address;
  });
}

function addressIn(answer: RpcAnswer | undefined): string | undefined {
  if (answer?.ok !== true || answer.result === '0x') return undefined;
  return `0x${wordOf(quantityOf(answer.result)).slice(26)}`;
}
