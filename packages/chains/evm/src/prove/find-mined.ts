// Finds which pending batches are mined, and the outcome of every payment in them.
import { ChainUnavailable, isDirect, type MinedBatch, type MinedItem, type PendingBatch } from '@svc-pay/core';
import { encodeFunctionData, numberToHex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { askChain, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { type Receipt, readReceipt } from '../rpc/read-receipt.ts';
import { DISAGREEMENT } from '../rpc/require-endpoint-quorum.ts';
import { readDirectEvidence } from './direct-evidence.ts';
import { explainReverts, type SingleOutcome } from './explain-revert.ts';
import { readEvidence } from './item-evidence.ts';
import { replayLegs } from './replay-legs.ts';
import { wordOf } from './settlement-logs.ts';
import { readStrandedEvidence } from './stranded-transfer-evidence.ts';

type Found = { readonly batch: PendingBatch; readonly receipt: Receipt };

/**
 * Returns the batches that are mined. With one node, an absent batch is not mined at that node. With several, it is not
 * mined or the nodes contradict each other; only the views of single nodes tell which (`readBatchView`).
 */
export async function findMined(rpc: JsonRpc, batches: readonly PendingBatch[]): Promise<readonly MinedBatch[]> {
  const asked = batches.flatMap((batch) => batch.transactions.map(({ transactionId }) => ({ batch, transactionId })));
  if (asked.length === 0) return [];
  const [head, ...answers] = await askChain(rpc, [
    { method: 'eth_blockNumber', params: [] },
    ...asked.map(({ transactionId }) => ({ method: 'eth_getTransactionReceipt', params: [transactionId] })),
  ]);
  const found = asked.flatMap(({ batch, transactionId }, index): Found[] => {
    const answer = answers[index];
    // Endpoints that contradict each other prove nothing: the batch stays pending.
    if (answer?.ok === false && answer.code === DISAGREEMENT) return [];
    const receipt = readReceipt(resultOf(answer));
    return receipt?.transactionId === transactionId.toLowerCase() ? [{ batch, receipt }] : [];
  });
  if (found.length === 0) return [];
  const feeRecipients = await readFeeRecipients(rpc, found);
  const alone = await explainAlone(rpc, found);
  const headNumber = quantityOf(resultOf(head));
  return found.map((mined, index) =>
    minedBatch(mined, { feeRecipient: feeRecipients[index] ?? '', revert: alone.get(mined) ?? 'reverted' }, headNumber),
  );
}

/** Explains why transactions with one payment reverted. Stranded transfers are left out: they are tried again. */
async function explainAlone(rpc: JsonRpc, found: readonly Found[]): Promise<ReadonlyMap<Found, SingleOutcome>> {
  const reverted = found.flatMap((mined) => {
    const [item, ...others] = mined.batch.items;
    const alone =
      mined.receipt.reverted && item !== undefined && others.length === 0 && item.strandedTransfer === undefined;
    return alone ? [{ mined, item, receipt: mined.receipt }] : [];
  });
  const outcomes = await explainReverts(rpc, reverted);
  return new Map(reverted.flatMap(({ mined }, index) => (outcomes[index] ? [[mined, outcomes[index]]] : [])));
}

type AskedOfBatch = { readonly feeRecipient: string; readonly revert: SingleOutcome | 'reverted' };

function minedBatch({ batch, receipt }: Found, asked: AskedOfBatch, headNumber: bigint): MinedBatch {
  const { transactionId, blockNumber, blockHash, reverted, gasCostAtomic, logs } = receipt;
  const evidence = reverted ? [] : evidenceOf(batch)(batch.items, logs);
  const { escrowedFor, feeRecipient = asked.feeRecipient } = isDirectBatch(batch)
    ? NO_LEGS
    : replayLegs(batch.items, evidence, logs);
  const items = batch.items.map(({ paymentId }, index): MinedItem => {
    const found = evidence[index];
    if (reverted) return { paymentId, outcome: asked.revert };
    if (found === undefined) return { paymentId, outcome: 'no_evidence' };
    if (found.outcome !== 'settled') return { paymentId, outcome: found.outcome };
    return { paymentId, ...found, escrowedFor: escrowedFor[index] ?? [] };
  });
  return {
    batchId: batch.id,
    transactionId,
    blockNumber,
    blockHash,
    // A node that returns the receipt has that block, even if its head is lower.
    confirmations: headNumber < blockNumber ? 1n : headNumber - blockNumber + 1n,
    reverted,
    gasCostAtomic,
    feeRecipient,
    items,
  };
}

/** A direct payment has one leg, which is its own evidence. */
const NO_LEGS = { escrowedFor: [], feeRecipient: undefined };

/** A transaction is of one payout kind. */
const isDirectBatch = ({ items }: PendingBatch): boolean => items.some(isDirect);

function evidenceOf(batch: PendingBatch): typeof readDirectEvidence {
  if (isDirectBatch(batch)) return readDirectEvidence;
  const isStranded = batch.items.some(({ strandedTransfer }) => strandedTransfer !== undefined);
  return isStranded ? readStrandedEvidence : readEvidence;
}

/** Reads at the transaction's own block, or at the latest if the node lacks that state. Empty if nothing settled. */
async function readFeeRecipients(rpc: JsonRpc, all: readonly Found[]): Promise<readonly string[]> {
  // The payments of a reverted batch are already in other batches. Direct payments have no fee.
  const found = all.filter(({ batch }) => batch.items.length > 0 && !isDirectBatch(batch));
  if (found.length === 0) return all.map(() => '');
  const data = encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'feeRecipient' });
  const answers = await askChain(
    rpc,
    found.flatMap(({ batch, receipt }) =>
      [numberToHex(receipt.blockNumber), 'latest'].map(
        (block): RpcCall => ({ method: 'eth_call', params: [{ to: batch.items[0]?.processor, data }, block] }),
      ),
    ),
  );
  return all.map((one) => {
    const index = found.indexOf(one);
    if (index < 0) return '';
    const address = addressIn(answers[2 * index]) ?? addressIn(answers[2 * index + 1]);
    if (address === undefined) throw new ChainUnavailable('the processor does not tell who gets its fees');
    return address;
  });
}

function addressIn(answer: RpcAnswer | undefined): string | undefined {
  if (answer?.ok !== true || answer.result === '0x') return undefined;
  return `0x${wordOf(quantityOf(answer.result)).slice(26)}`;
}
