// The call of a direct payment that goes alone: the token's own `transferWithAuthorization`. Behind its arguments stand
// 16 bytes that the token does not read: intent code and payout id, from which a restore finds the payment's intent.
import type { LaneItem } from '@svc-pay/core';
import { readRefundNonce } from '@svc-pay/protocol/refund-nonce';
import { type Address, concat, decodeFunctionData, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem';
import { splitSignature } from '../processor/key-signature.ts';

const ABI = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
const TAIL_BYTES = 16;

export function singleTransferData(item: LaneItem): Hex {
  // Nothing behind a refund: a restore must not read it as a payment.
  if (item.refund !== undefined) return transferData(item);
  return concat([
    transferData(item),
    numberToHex(item.intentCode, { size: 8 }),
    numberToHex(item.payout.id, { size: 8 }),
  ]);
}

type SignedTransferTerms = Pick<
  LaneItem,
  | 'payer'
  | 'processor'
  | 'capAtomic'
  | 'validAfterSeconds'
  | 'validBeforeSeconds'
  | 'nonce'
  | 'signature'
  | 'byContract'
>;

/** The call without those bytes. */
export function transferData(item: SignedTransferTerms): Hex {
  const { capAtomic, validAfterSeconds, validBeforeSeconds } = item;
  const [from, to, nonce] = [lower(item.payer), lower(item.processor), item.nonce as Hex] as const;
  const terms = [from, to, capAtomic, validAfterSeconds, validBeforeSeconds, nonce] as const;
  const key = item.byContract ? undefined : splitSignature(item.signature);
  const functionName = 'transferWithAuthorization';
  // A contract wallet verifies its own signature format, so its bytes stay unchanged.
  return key === undefined
    ? encodeFunctionData({ abi: ABI, functionName, args: [...terms, item.signature as Hex] })
    : encodeFunctionData({ abi: ABI, functionName, args: [...terms, key.v, key.r, key.s] });
}

export type ReadTransfer = Pick<
  LaneItem,
  | 'intentCode'
  | 'payer'
  | 'capAtomic'
  | 'validAfterSeconds'
  | 'validBeforeSeconds'
  | 'nonce'
  | 'signature'
  | 'byContract'
> & { readonly wallet: string; readonly payoutId: bigint };

/** The inverse of `singleTransferData`; undefined for any other call. */
export function readSingleTransfer(data: Hex): ReadTransfer | undefined {
  const call = decoded(data);
  if (call === undefined) return undefined;
  const [from, to, capAtomic, validAfterSeconds, validBeforeSeconds, nonce, ...signed] = call.args;
  const byContract = signed.length === 1;
  const signature = byContract ? signed[0] : joined(signed);
  const canonical = encodeFunctionData({ abi: ABI, ...call });
  const tail = data.slice(canonical.length);
  if (tail.length !== 2 * TAIL_BYTES || data.slice(0, canonical.length).toLowerCase() !== canonical) return undefined;
  return {
    intentCode: BigInt(`0x${tail.slice(0, TAIL_BYTES)}`),
    payoutId: BigInt(`0x${tail.slice(TAIL_BYTES)}`),
    wallet: lower(to),
    payer: lower(from),
    capAtomic,
    validAfterSeconds,
    validBeforeSeconds,
    nonce,
    signature,
    byContract,
  };
}

/** Exactly the call of a refund: nothing behind its arguments, and a nonce that names it one. */
export function isRefundCall(data: Hex): boolean {
  const call = decoded(data);
  if (call === undefined || readRefundNonce(call.args[5]) === undefined) return false;
  return encodeFunctionData({ abi: ABI, ...call }) === data.toLowerCase();
}

function decoded(data: Hex) {
  try {
    return decodeFunctionData({ abi: ABI, data });
  } catch {
    return undefined;
  }
}

const joined = ([v, r, s]: readonly [number, Hex, Hex]): Hex =>
  `${r}${s.slice(2)}${v.toString(16).padStart(2, '0')}` as Hex;

/** Lower case: the encoder refuses an address whose capitals are not its checksum. */
const lower = (address: string): Address => address.toLowerCase() as Address;
