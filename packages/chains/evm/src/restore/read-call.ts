// Decodes the payments of a lane's call: the inverse of `laneCall`. Of a direct payment only our own relayers' calldata
// is believed: anybody may submit it with any intent code behind it.
import type { CarriedPayment, OnChainTransaction } from '@svc-pay/core';
import { type DecodeFunctionDataReturnType, decodeFunctionData, type Hex, numberToHex } from 'viem';
import { DIRECT_BATCH_ADDRESS } from '../direct/direct-batch-address.ts';
import { type DirectBatchItem, unpackDirectBatch } from '../direct/direct-batch-call.ts';
import { isRefundCall, type ReadTransfer, readSingleTransfer } from '../direct/single-transfer.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { unpackBatchItem } from '../processor/batch-item.ts';

/** A payment as the call describes it; the call does not contain the claim key. */
export type CalledPayment = Omit<CarriedPayment, 'claimKey'>;
export type ReadCall = {
  readonly form: OnChainTransaction['form'];
  readonly payments: readonly CalledPayment[];
  readonly stranded?: CalledStranded;
};
/** A stranded transfer as the call describes it. A return names neither intent nor payout. */
export type CalledStranded =
  | { readonly action: 'settle'; readonly payment: CalledPayment }
  | { readonly action: 'return'; readonly payment: Omit<CalledPayment, 'intentCode' | 'payoutId' | 'settledAtomic'> };

type ProcessorCall = DecodeFunctionDataReturnType<typeof paymentProcessorAbi>;
export const OTHER_CALL: ReadCall = { form: 'other', payments: [] };

/**
 * `to` is the address that the transaction calls: a processor, the contract of direct batches, or a token. Anybody can
 * deploy a contract with a processor's functions, so only a call of one of `processors`, in lower case, is read as one.
 */
export function readCall(to: string, data: Hex, processors: readonly string[]): ReadCall {
  const called = to.toLowerCase();
  if (called !== DIRECT_BATCH && isRefundCall(data)) return { form: 'refund', payments: [] };
  const direct = readDirectCall(called, data);
  if (direct !== undefined) return { form: 'settle', payments: direct };
  return processors.includes(called) ? readProcessorCall(called, data) : OTHER_CALL;
}

const DIRECT_BATCH = DIRECT_BATCH_ADDRESS.toLowerCase();

function readDirectCall(to: string, data: Hex): readonly CalledPayment[] | undefined {
  if (to !== DIRECT_BATCH) {
    const single = readSingleTransfer(data);
    return single && [directPayment(to, single)];
  }
  const batch = unpackDirectBatch(data);
  return batch?.groups.flatMap(({ wallet, payoutId, items }) =>
    items.map(({ valueAtomic, ...item }: DirectBatchItem) =>
      directPayment(batch.token, { ...item, wallet, payoutId, capAtomic: valueAtomic }),
    ),
  );
}

function directPayment(asset: string, { wallet, ...transfer }: ReadTransfer): CalledPayment {
  return {
    ...transfer,
    asset,
    processor: wallet,
    kind: 'transfer_with_authorization',
    settledAtomic: transfer.capAtomic,
    direct: true,
  };
}

function readProcessorCall(processor: string, data: Hex): ReadCall {
  const call = decoded(data);
  if (call === undefined) return OTHER_CALL;
  const stranded = strandedOf(processor, call);
  if (stranded !== undefined) return { form: 'resolve_stranded', payments: [], stranded };
  const payments = paymentsOf(processor, call);
  return payments === undefined ? OTHER_CALL : { form: 'settle', payments };
}

function strandedOf(processor: string, call: ProcessorCall): CalledStranded | undefined {
  if (call.functionName === 'settleStranded') {
    const [asset, intentCode, payoutId, authorization, settledAtomic, signature] = call.args;
    const terms = { asset, processor, payoutId, intentCode, settledAtomic };
    return { action: 'settle', payment: alone(terms, authorization, signature) };
  }
  if (call.functionName !== 'returnStranded') return undefined;
  const [asset, authorization, signature] = call.args;
  const terms = { asset, processor, payoutId: 0n, intentCode: 0n, settledAtomic: 0n };
  const {
    intentCode: _code,
    payoutId: _payout,
    settledAtomic: _settled,
    ...payment
  } = alone(terms, authorization, signature);
  return { action: 'return', payment };
}

function paymentsOf(processor: string, call: ProcessorCall): readonly CalledPayment[] | undefined {
  if (call.functionName === 'settleBatch') {
    const [asset, groups] = call.args;
    return groups.flatMap(({ payoutId, items }) =>
      items.map((item) => batched(unpackBatchItem(item), { asset, processor, payoutId })),
    );
  }
  if (call.functionName === 'payWithSignature') {
    const [asset, intentCode, payoutId, authorization, ...signature] = call.args;
    const terms = { asset, processor, payoutId, intentCode, settledAtomic: authorization.value };
    return [alone(terms, authorization, signatureOf(signature))];
  }
  if (call.functionName === 'payWithSignatureUpto') {
    const [asset, intentCode, payoutId, authorization, settledAtomic, ...signature] = call.args;
    const terms = { asset, processor, payoutId, intentCode, settledAtomic };
    return [alone(terms, authorization, signatureOf(signature))];
  }
  if (call.functionName === 'payWithPermit') {
    const [asset, intentCode, payoutId, permit, settledAtomic] = call.args;
    return [permitted({ asset, processor, payoutId, intentCode, settledAtomic }, permit)];
  }
  return undefined;
}

function decoded(data: Hex): ProcessorCall | undefined {
  try {
    return decodeFunctionData({ abi: paymentProcessorAbi, data });
  } catch {
    return undefined;
  }
}

type Terms = Pick<CalledPayment, 'asset' | 'processor' | 'payoutId' | 'intentCode' | 'settledAtomic'>;

function batched(
  { kind, ...item }: ReturnType<typeof unpackBatchItem>,
  terms: Pick<Terms, 'asset' | 'processor' | 'payoutId'>,
): CalledPayment {
  return { ...item, ...spelledTerms(terms), kind: kindOf(kind === 'transfer' ? 0 : 1), byContract: false };
}

type Authorization = Extract<ProcessorCall, { functionName: 'payWithSignature' }>['args'][3];

/**
 * Decodes the payment of a single call. A key's signature goes in a batch unless its numbers do not fit; so when they
 * fit, the signer is a contract wallet.
 */
function alone(terms: Terms, authorization: Authorization, signature: Hex): CalledPayment {
  const { from, value, validAfter, validBefore, nonce } = authorization;
  const fits = value >> 128n === 0n && validAfter >> 64n === 0n && validBefore >> 64n === 0n;
  return {
    ...terms,
    ...spelledTerms(terms),
    kind: kindOf(authorization.kind),
    byContract: fits,
    payer: from.toLowerCase(),
    capAtomic: value,
    validAfterSeconds: validAfter,
    validBeforeSeconds: validBefore,
    nonce,
    signature,
  };
}

/** Signature given as bytes, or as v, r and s of a key. */
function signatureOf(given: readonly [Hex] | readonly [number, Hex, Hex]): Hex {
  if (given.length === 1) return given[0];
  const [v, r, s] = given;
  return `${r}${s.slice(2)}${v.toString(16).padStart(2, '0')}` as Hex;
}

type Permit = Extract<ProcessorCall, { functionName: 'payWithPermit' }>['args'][3];

/** A permit does not contain `validAfter`, so that value is lost. */
function permitted(terms: Terms, { owner, value, nonce, deadline, v, r, s }: Permit): CalledPayment {
  return {
    ...terms,
    ...spelledTerms(terms),
    kind: 'permit',
    byContract: false,
    payer: owner.toLowerCase(),
    capAtomic: value,
    validAfterSeconds: 0n,
    validBeforeSeconds: deadline,
    nonce: numberToHex(nonce, { size: 32 }),
    signature: `${r}${s.slice(2)}${v.toString(16).padStart(2, '0')}`,
  };
}

const kindOf = (kind: number) => (kind === 0 ? 'transfer_with_authorization' : 'receive_with_authorization');

function spelledTerms<Given extends { readonly asset: string; readonly processor: string }>(terms: Given): Given {
  return { ...terms, asset: terms.asset.toLowerCase(), processor: terms.processor.toLowerCase() };
}
