// Reads mined transactions with raw bytes, call and outcome. The bytes are rebuilt from the fields that a node returns
// and must hash to the transaction id.
import {
  ChainUnavailable,
  claimKey,
  type LaneItem,
  type OnChainTransaction,
  type ResolvedStranding,
  TOKENS,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { type Hex, hexToBytes, keccak256, serializeTransaction } from 'viem';
import { readDirectEvidence } from '../prove/direct-evidence.ts';
import { readEvidence } from '../prove/item-evidence.ts';
import { hasTopics, STRANDED_RETURNED, STRANDED_SETTLED, wordOf } from '../prove/settlement-logs.ts';
import { askChain, fieldOf, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type Receipt, readReceipt } from '../rpc/read-receipt.ts';
import { signedDigests } from '../verify/signed-digests.ts';
import { type CalledPayment, type CalledStranded, OTHER_CALL, readCall } from './read-call.ts';

/** In the order given. Throws `ChainUnavailable` when a node does not have one of the transactions. */
export async function readOnChainTransaction(
  rpc: JsonRpc,
  network: NetworkId,
  transactionIds: readonly string[],
  processors: readonly string[],
): Promise<readonly OnChainTransaction[]> {
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
    return onChainOf({ network, processors }, resultOf(answers[2 * index]), receipt);
  });
}

type Reading = { readonly network: NetworkId; readonly processors: readonly string[] };

function onChainOf({ network, processors }: Reading, transaction: unknown, receipt: Receipt): OnChainTransaction {
  const { transactionId, blockNumber, logs, reverted } = receipt;
  const text = (name: string): Hex => {
    const value = fieldOf(transaction, name);
    if (typeof value !== 'string') throw new ChainUnavailable(`${transactionId} without ${name}`);
    return value.toLowerCase() as Hex;
  };
  const to = typeof fieldOf(transaction, 'to') === 'string' ? text('to') : '0x';
  const call = mayBeSignedByUs(transaction) ? readCall(to, text('input'), processors) : OTHER_CALL;
  const { form, payments, stranded } = call;
  const carried = payments.map((payment) => ({ ...payment, claimKey: claimKeyOf(network, payment) }));
  const items = carried.map(asItem);
  const isDirect = carried.some(({ direct }) => direct);
  // A call names a payout but not its terms: the fee is compared when the restored payment is recorded as mined.
  const read = () => (isDirect ? readDirectEvidence(items, logs) : readEvidence(items, logs, () => true));
  const evidence = reverted ? [] : read();
  return {
    network,
    relayer: text('from'),
    nonce: quantityOf(text('nonce')),
    transactionId,
    raw: form === 'other' ? new Uint8Array() : bytesOf(transaction, transactionId),
    blockNumber,
    form,
    carried,
    ...(stranded !== undefined && isProven(stranded, receipt) && { resolved: resolvedOf(network, stranded) }),
    settled: carried.filter((_, index) => evidence[index]?.outcome === 'settled'),
  };
}

/** The processor's own log says that the money was settled or returned. */
function isProven(stranded: CalledStranded, { logs, reverted }: Receipt): boolean {
  const { processor, payer, asset, nonce } = stranded.payment;
  const own = logs.filter(({ address }) => address === processor);
  if (reverted) return false;
  if (stranded.action === 'return')
    return own.some((log) => hasTopics(log, STRANDED_RETURNED, wordOf(payer), wordOf(asset), nonce.toLowerCase()));
  const { intentCode } = stranded.payment;
  const topics = [STRANDED_SETTLED, wordOf(intentCode), wordOf(payer), wordOf(asset)];
  return own.some((log) => hasTopics(log, ...topics) && log.data === nonce.toLowerCase());
}

function resolvedOf(network: NetworkId, stranded: CalledStranded): ResolvedStranding {
  const { asset, payer, nonce } = stranded.payment;
  const key = claimKey({ network, asset, payer, uniquePart: nonce });
  return stranded.action === 'settle'
    ? { action: 'settle', carried: { ...stranded.payment, claimKey: key } }
    : { action: 'return', carried: { ...stranded.payment, claimKey: key } };
}

/** A lane item with the fields that `readEvidence` uses; the other fields are placeholders. */
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
  if (token === undefined) throw new Error(`the catalogue has no token at ${payment.asset}`);
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

/** Our lanes sign transactions of EIP-1559 without an access list. The bytes of others are not rebuilt. */
function mayBeSignedByUs(transaction: unknown): boolean {
  const [type, listed] = [fieldOf(transaction, 'type'), fieldOf(transaction, 'accessList')];
  return (type === undefined || quantityOf(type) === 2n) && !(Array.isArray(listed) && listed.length > 0);
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
