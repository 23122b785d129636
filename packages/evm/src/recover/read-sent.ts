// Mined transactions with their bytes, their call and what came of it. The bytes are put together again from the fields
// that a node tells, and must hash to the transaction's own name.
import { ChainUnavailable, claimKey, type LaneItem, type SentTransaction, TOKENS } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { type Hex, hexToBytes, keccak256, serializeTransaction } from 'viem';
import { askChain, fieldOf, quantityOf, resultOf } from '../lane/ask-chain.ts';
import { readEvidence } from '../lane/item-evidence.ts';
import { type Receipt, readReceipt } from '../lane/read-receipt.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { signedDigests } from '../verify/signed-digests.ts';
import { type CalledPayment, readCall } from './read-call.ts';

/** In the order given. Throws `ChainUnavailable` when a node does not have one of them. */
export async function readSent(
  rpc: JsonRpc,
  network: NetworkId,
  transactionIds: readonly string[],
): Promise<readonly SentTransaction[]> {
  const answers = await askChain(
    rpc,
    transactionIds.flatMap((id) => [
      { method: 'eth_getTransactionByHash', params: [id] },
      { method: 'eth_getTransactionReceipt', params: [id] },
    ]),
  );
  return transactionIds.map((id, index) => {
    const receipt = readReceipt(resultOf(answers[2 * index + 1]));
    if (receipt === undefined) throw new ChainUnavailable(`no receipt of ${id}`);
    return sentOf(network, resultOf(answers[2 * index]), receipt);
  });
}

function sentOf(network: NetworkId, transaction: unknown, receipt: Receipt): SentTransaction {
  const { transactionId, blockNumber, logs, reverted } = receipt;
  const text = (name: string): Hex => {
    const value = fieldOf(transaction, name);
    if (typeof value !== 'string') throw new ChainUnavailable(`${transactionId} without ${name}`);
    return value.toLowerCase() as Hex;
  };
  const processor = typeof fieldOf(transaction, 'to') === 'string' ? text('to') : '0x';
  const { form, payments } = readCall(processor, text('input'));
  const carried = payments.map((payment) => ({ ...payment, claimKey: claimKeyOf(network, payment) }));
  const evidence = reverted ? [] : readEvidence(carried.map(asItem), logs);
  return {
    network,
    relayer: text('from'),
    nonce: quantityOf(text('nonce')),
    transactionId,
    raw: form === 'other' ? new Uint8Array() : bytesOf(transaction, transactionId),
    blockNumber,
    form,
    carried,
    settled: carried.filter((_, index) => evidence[index]?.outcome === 'settled'),
  };
}

/** Of what evidence is made; the rest of an item plays no part in it. */
function asItem(payment: CalledPayment, index: number): LaneItem {
  const { payoutId, ...rest } = payment;
  const whose = { accountId: 'acct_', mode: 'test', paymentId: 'pay_', intentId: 'pi_' } as unknown as LaneItem;
  return {
    ...whose,
    ...rest,
    number: BigInt(index),
    payout: { id: payoutId, merchant: '', feeBps: 0, splits: [] },
    confirmations: 1,
  };
}

function claimKeyOf(network: NetworkId, payment: CalledPayment): Uint8Array {
  const { asset, payer, nonce } = payment;
  return claimKey({
    network,
    asset,
    payer,
    uniquePart: payment.kind === 'permit' ? permitDigest(network, payment) : nonce,
  });
}

function permitDigest(network: NetworkId, payment: CalledPayment): string {
  const token = TOKENS.find((known) => known.network === network && known.address.toLowerCase() === payment.asset);
  if (token === undefined) throw new Error(`no token of ours lies at ${payment.asset}`);
  const [signed] = signedDigests(token, {
    from: payment.payer,
    to: payment.processor,
    value: payment.capAtomic.toString(),
    validAfter: '0',
    validBefore: payment.validBeforeSeconds.toString(),
    nonce: payment.nonce,
  });
  if (signed?.kind !== 'permit') throw new Error(`the token at ${payment.asset} takes no permit`);
  return `0x${Buffer.from(signed.digest).toString('hex')}`;
}

function bytesOf(transaction: unknown, transactionId: string): Uint8Array {
  const quantity = (name: string) => quantityOf(fieldOf(transaction, name));
  const hex = (name: string) => fieldOf(transaction, name) as Hex;
  const raw = serializeTransaction(
    {
      type: 'eip1559',
      chainId: Number(quantity('chainId')),
      nonce: Number(quantity('nonce')),
      to: hex('to'),
      data: hex('input'),
      value: quantity('value'),
      gas: quantity('gas'),
      maxFeePerGas: quantity('maxFeePerGas'),
      maxPriorityFeePerGas: quantity('maxPriorityFeePerGas'),
    },
    { r: hex('r'), s: hex('s'), yParity: Number(quantity('yParity')) },
  );
  if (keccak256(raw) !== transactionId) throw new ChainUnavailable(`${transactionId} is not what the node tells of it`);
  return hexToBytes(raw);
}
