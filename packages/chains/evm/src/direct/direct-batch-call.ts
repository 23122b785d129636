// The calldata of `DirectBatch.settle`: packed and unpacked, with what the contract answers and logs. The format is in
// contracts/evm/src/interfaces/IDirectBatch.sol.
import { type ItemOutcome } from '@svc-pay/core';
import {
  type Address,
  bytesToHex,
  decodeAbiParameters,
  decodeFunctionData,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  isAddressEqual,
  numberToHex,
  size,
} from 'viem';
import { directBatchAbi } from '../generated/direct-batch-abi.ts';
import { outcomeOf, readItemCodes } from '../processor/batch-item.ts';
import { DIRECT_BATCH_ADDRESS } from './direct-batch-address.ts';

export type DirectBatchItem = {
  readonly payer: Address;
  readonly valueAtomic: bigint;
  readonly validAfterSeconds: bigint;
  readonly validBeforeSeconds: bigint;
  readonly nonce: Hex;
  readonly intentCode: bigint;
  /** The signature is the contract wallet's own, in any form; otherwise 65 bytes, r, s, v, with a low s and v 27 or 28. */
  readonly byContract: boolean;
  readonly signature: Hex;
};

/** Items to one wallet under one payout. */
type DirectBatchGroup = {
  readonly wallet: Address;
  readonly payoutId: bigint;
  readonly items: readonly DirectBatchItem[];
};

export type DirectBatchCall = {
  readonly token: Address;
  /** The most gas that the transfer of one item may burn; one of a contract wallet may burn the contract's `WALLET_GAS` more. */
  readonly callGas: bigint;
  readonly groups: readonly DirectBatchGroup[];
};

const GROUP_BYTES = 30;
const ITEM_BYTES = 84;
const KEY_SIGNATURE_BYTES = 64;

/** Throws a `RangeError` when a field does not fit: see `fitsDirectBatch`. */
export function packDirectBatch({ token, callGas, groups }: DirectBatchCall): Hex {
  const packed = groups.flatMap(({ wallet, payoutId, items }) => [
    wallet.slice(2),
    digits(payoutId, 8),
    digits(BigInt(items.length), 2),
    ...items.map(packItem),
  ]);
  return encodeFunctionData({
    abi: directBatchAbi,
    functionName: 'settle',
    args: [token, Number(callGas), `0x${packed.join('').toLowerCase()}`],
  });
}

/** False for an item that the packed form cannot carry: it goes alone, by a call of the token. */
export function fitsDirectBatch(item: DirectBatchItem): boolean {
  try {
    return packItem(item).length > 0;
  } catch (problem) {
    if (problem instanceof RangeError) return false;
    throw problem;
  }
}

function packItem(item: DirectBatchItem): string {
  if (size(item.nonce) !== 32) throw new RangeError(`a nonce has 32 bytes: ${item.nonce}`);
  const { length, signature } = packSignature(item);
  return [
    item.payer.slice(2),
    digits(item.valueAtomic, 12),
    digits(item.validAfterSeconds, 5),
    digits(item.validBeforeSeconds, 5),
    digits(item.intentCode, 8),
    digits(length, 2),
    item.nonce.slice(2),
    signature,
  ].join('');
}

/** A key's parity goes into the top bit of s (EIP-2098), which a low s leaves free. */
function packSignature({ byContract, signature }: DirectBatchItem): { length: bigint; signature: string } {
  const hex = signature.slice(2);
  if (byContract) {
    if (hex.length === 0) throw new RangeError('an empty signature of a contract wallet has no packed form');
    return { length: BigInt(hex.length / 2), signature: hex };
  }
  const v = Number.parseInt(hex.slice(128), 16);
  if (hex.length !== 130 || (v !== 27 && v !== 28)) throw new RangeError('a key signs 65 bytes with v 27 or 28');
  const s = BigInt(`0x${hex.slice(64, 128)}`);
  if (s >> 255n !== 0n) throw new RangeError('a signature with a high s has no packed form');
  return { length: 0n, signature: hex.slice(0, 64) + digits(s | (BigInt(v - 27) << 255n), 32) };
}

/** The opposite of `packDirectBatch`; undefined for other calldata. Addresses and hex come back in lower case. */
export function unpackDirectBatch(data: Hex): DirectBatchCall | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: directBatchAbi, data });
    if (functionName !== 'settle') return undefined;
    const [token, callGas, packed] = args;
    const groups = readGroups(hexToBytes(packed));
    return groups && { token: token.toLowerCase() as Address, callGas: BigInt(callGas), groups };
  } catch {
    return undefined;
  }
}

function readGroups(bytes: Uint8Array): readonly DirectBatchGroup[] | undefined {
  const groups: DirectBatchGroup[] = [];
  let position = 0;
  const take = (length: number): Hex => {
    position += length;
    return bytesToHex(bytes.subarray(position - length, position));
  };
  while (position < bytes.length) {
    if (position + GROUP_BYTES > bytes.length) return undefined;
    const [wallet, payoutId, count] = [take(20), BigInt(take(8)), Number(take(2))];
    const items: DirectBatchItem[] = [];
    while (items.length < count) {
      if (position + ITEM_BYTES + 1 > bytes.length) return undefined;
      const item = readItem(take);
      if (position > bytes.length) return undefined;
      items.push(item);
    }
    groups.push({ wallet, payoutId, items });
  }
  return groups;
}

function readItem(take: (length: number) => Hex): DirectBatchItem {
  const [payer, valueAtomic] = [take(20), BigInt(take(12))];
  const [validAfterSeconds, validBeforeSeconds] = [BigInt(take(5)), BigInt(take(5))];
  const [intentCode, length, nonce] = [BigInt(take(8)), Number(take(2)), take(32)];
  const head = { payer, valueAtomic, validAfterSeconds, validBeforeSeconds, nonce, intentCode };
  if (length > 0) return { ...head, byContract: true, signature: take(length) };
  const compact = take(KEY_SIGNATURE_BYTES);
  const [r, vs] = [compact.slice(0, 66), BigInt(`0x${compact.slice(66)}`)];
  const s = digits(vs & ((1n << 255n) - 1n), 32);
  return { ...head, byContract: false, signature: `${r as Hex}${s}${vs >> 255n === 0n ? '1b' : '1c'}` };
}

/** What `settle` returns, one outcome per item in the order of groups and items. */
export function readDirectOutcomes(returned: Hex): ItemOutcome[] {
  return readItemCodes(decodeFunctionResult({ abi: directBatchAbi, functionName: 'settle', data: returned }));
}

const [ITEM_REFUSED] = encodeEventTopics({ abi: directBatchAbi, eventName: 'ItemRefused' });

type RefusalLog = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

/** The refused items of a mined batch, by their index. A hint for people: the token's logs prove a payment. */
export function readDirectRefusals(logs: readonly RefusalLog[]): ReadonlyMap<number, ItemOutcome> {
  const refusals = new Map<number, ItemOutcome>();
  for (const { address, topics, data } of logs) {
    if (!isAddressEqual(address as Address, DIRECT_BATCH_ADDRESS) || topics[0] !== ITEM_REFUSED) continue;
    const [index, code] = decodeAbiParameters([{ type: 'uint256' }, { type: 'uint8' }], data as Hex);
    refusals.set(Number(index), outcomeOf(code));
  }
  return refusals;
}

/** Hex digits of a number in so many bytes. */
function digits(value: bigint, bytes: number): string {
  if (value < 0n || value >> BigInt(8 * bytes) !== 0n) throw new RangeError(`${value} does not fit ${bytes} bytes`);
  return numberToHex(value, { size: bytes }).slice(2);
}
