// Builds the call of a lane's transaction: a batch call, or a single call for a contract wallet or a permit; for direct
// payments, a call of `DirectBatch` or of the token itself. Simulation and signing both build it here, so that the
// simulated call is the one that is sent.
import { isDirect, type LaneItem, transactionKey } from '@svc-pay/core';
import { type Address, encodeFunctionData, type Hex, zeroHash } from 'viem';
import { DIRECT_BATCH_ADDRESS } from '../direct/direct-batch-address.ts';
import { type DirectBatchItem, packDirectBatch } from '../direct/direct-batch-call.ts';
import { singleTransferData } from '../direct/single-transfer.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { packBatchItem } from './batch-item.ts';
import { goesInBatch } from './fit-batch.ts';
import { gasLimit, singleTransferGas } from './gas-limit.ts';
import { groupItems } from './group-items.ts';
import { normalSignature, splitSignature } from './key-signature.ts';

export type LaneCall = {
  readonly form: 'batch' | 'single' | 'stranded' | 'direct_batch' | 'direct_single';
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
};

/** Throws for items that cannot share a transaction; `fitBatch` never combines them. */
export function laneCall(items: readonly LaneItem[], callGas: bigint): LaneCall {
  const [head] = items;
  if (head === undefined) throw new RangeError('a transaction carries at least one payment');
  const key = transactionKey(head);
  if (items.some((item) => transactionKey(item) !== key)) {
    throw new RangeError(
      `payment ${head.paymentId} cannot share a transaction with payments of another payout kind, processor or token`,
    );
  }
  if (isDirect(head) && items.length === 1) {
    const gas = singleTransferGas(head, callGas);
    return { form: 'direct_single', to: addressOf(head.asset), data: singleTransferData(head), gas };
  }
  const gas = gasLimit(items, callGas);
  if (isDirect(head)) {
    return { form: 'direct_batch', to: DIRECT_BATCH_ADDRESS, data: directBatchData(head.asset, items, callGas), gas };
  }
  const to = addressOf(head.processor);
  if (items.every(goesInBatch)) return { form: 'batch', to, data: batchData(head.asset, items), gas };
  if (items.length > 1)
    throw new RangeError(
      `of the ${items.length} payments from ${head.paymentId} on, one needs a transaction of its own and cannot share one`,
    );
  if (head.strandedTransfer !== undefined) return { form: 'stranded', to, data: strandedData(head), gas };
  return { form: 'single', to, data: head.kind === 'permit' ? permitData(head) : singleData(head), gas };
}

function batchData(asset: string, items: readonly LaneItem[]): Hex {
  const groups = groupItems(items).map((group) => ({ payoutId: group.payout.id, items: group.items.map(packed) }));
  return encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'settleBatch',
    args: [addressOf(asset), groups],
  });
}

function packed(item: LaneItem) {
  const signature = normalSignature(item.signature);
  if (signature === undefined)
    throw new RangeError(`payment ${item.paymentId}: a batch carries only signatures of keys, not of contract wallets`);
  return packBatchItem({
    kind: item.kind === 'transfer_with_authorization' ? 'transfer' : 'receive',
    payer: addressOf(item.payer),
    intentCode: item.intentCode,
    capAtomic: item.capAtomic,
    settledAtomic: item.settledAtomic,
    validAfterSeconds: item.validAfterSeconds,
    validBeforeSeconds: item.validBeforeSeconds,
    nonce: item.nonce as Hex,
    signature,
  });
}

/** The processor's items and these are grouped in the same way, so that outcomes are read back in the same way. */
function directBatchData(asset: string, items: readonly LaneItem[], callGas: bigint): Hex {
  const groups = groupItems(items).map(({ payout, items }) => ({
    wallet: addressOf(items[0]?.processor ?? payout.merchant),
    payoutId: payout.id,
    items: items.map(directItem),
  }));
  return packDirectBatch({ token: addressOf(asset), callGas, groups });
}

/** Contract wallets go alone, so every item of a batch has a key's signature. */
function directItem(item: LaneItem): DirectBatchItem {
  const { capAtomic, validAfterSeconds, validBeforeSeconds, intentCode } = item;
  return {
    payer: addressOf(item.payer),
    valueAtomic: capAtomic,
    validAfterSeconds,
    validBeforeSeconds,
    nonce: item.nonce as Hex,
    intentCode,
    byContract: false,
    signature: normalSignature(item.signature) ?? '0x',
  };
}

function authorizationOf(item: LaneItem) {
  return {
    kind: item.kind === 'transfer_with_authorization' ? 0 : 1,
    from: addressOf(item.payer),
    value: item.capAtomic,
    validAfter: item.validAfterSeconds,
    validBefore: item.validBeforeSeconds,
    nonce: item.nonce as Hex,
  };
}

/** A contract wallet verifies its own signature format, so its bytes stay unchanged. */
function signatureOf({ byContract, signature }: LaneItem): Hex {
  return (byContract ? signature : (normalSignature(signature) ?? signature)) as Hex;
}

function strandedData(item: LaneItem): Hex {
  const [abi, asset, authorization, signature] = [
    paymentProcessorAbi,
    addressOf(item.asset),
    authorizationOf(item),
    signatureOf(item),
  ] as const;
  if (item.strandedTransfer?.action === 'return') {
    return encodeFunctionData({ abi, functionName: 'returnStranded', args: [asset, authorization, signature] });
  }
  const args = [asset, item.intentCode, item.payout.id, authorization, item.settledAtomic, signature] as const;
  return encodeFunctionData({ abi, functionName: 'settleStranded', args });
}

function singleData(item: LaneItem): Hex {
  const authorization = authorizationOf(item);
  const signature = signatureOf(item);
  const asset = addressOf(item.asset);
  const abi = paymentProcessorAbi;
  if (item.settledAtomic === item.capAtomic) {
    const args = [asset, item.intentCode, item.payout.id, authorization, signature] as const;
    return encodeFunctionData({ abi, functionName: 'payWithSignature', args });
  }
  const args = [asset, item.intentCode, item.payout.id, authorization, item.settledAtomic, signature] as const;
  return encodeFunctionData({ abi, functionName: 'payWithSignatureUpto', args });
}

function permitData(item: LaneItem): Hex {
  // A signature that no key can have made becomes zeros, and the processor refuses it with a named error.
  const { v, r, s } = splitSignature(item.signature) ?? { v: 0, r: zeroHash, s: zeroHash };
  const permit = {
    owner: addressOf(item.payer),
    value: item.capAtomic,
    nonce: BigInt(item.nonce),
    deadline: item.validBeforeSeconds,
    v,
    r,
    s,
  };
  return encodeFunctionData({
    abi: paymentProcessorAbi,
    functionName: 'payWithPermit',
    args: [addressOf(item.asset), item.intentCode, item.payout.id, permit, item.settledAtomic],
  });
}

/** Lower case: the encoder refuses an address whose capitals are not its checksum. */
function addressOf(address: string): Address {
  return address.toLowerCase() as Address;
}
