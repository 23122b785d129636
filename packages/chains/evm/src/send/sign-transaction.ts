// Signs a transaction. The signer sees only a digest, and its answer is checked: a transaction with another sender, or
// with an s value that nodes refuse, is never returned.
import type { SignedTransaction } from '@svc-pay/core';
import { bytesToHex, type Hex, hexToBytes, keccak256, numberToHex, parseTransaction, serializeTransaction } from 'viem';
import type { LaneCall } from '../processor/lane-call.ts';
import type { DigestSignature, TransactionSigner } from '../signer/transaction-signer.ts';
import { recoverSigner } from '../verify/recover-signer.ts';
import type { Fees } from './transaction-fees.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export type Unsigned = {
  readonly chainId: number;
  readonly nonce: bigint;
  readonly call: Pick<LaneCall, 'to' | 'data' | 'gas'>;
  readonly fees: Fees;
};

export async function signTransaction(
  signer: TransactionSigner,
  { chainId, nonce, call, fees }: Unsigned,
): Promise<SignedTransaction> {
  const transaction = {
    type: 'eip1559',
    chainId,
    nonce: toSafeNumber(nonce),
    to: call.to,
    data: call.data,
    gas: call.gas,
    ...fees,
  } as const;
  const digest = hexToBytes(keccak256(serializeTransaction(transaction)));
  const signed = lowS(await signer.signDigest(digest));
  const signature = Buffer.from(signed.r.slice(2) + signed.s.slice(2), 'hex');
  const sender = recoverSigner(digest, { bytes: signature, recovery: signed.yParity });
  if (sender !== signer.address.toLowerCase())
    throw new Error(`signer ${signer.address} answered with a signature of ${sender}`);
  const raw = serializeTransaction(transaction, { ...signed, v: BigInt(27 + signed.yParity) });
  const bytes = hexToBytes(raw);
  const transactionId = keccak256(raw);
  transactionIds.set(bytes, transactionId);
  return { transactionId, raw: bytes, worstCostAtomic: call.gas * fees.maxFeePerGas };
}

/** A full transaction has 50 kilobytes: the hash over them takes some milliseconds, and each is offered to nodes at once. */
const transactionIds = new WeakMap<Uint8Array, Hex>();

/** Of signed bytes, which nobody changes. */
export const transactionIdOf = (raw: Uint8Array): Hex => transactionIds.get(raw) ?? keccak256(raw);

function lowS({ r, s, yParity }: DigestSignature): DigestSignature {
  const value = BigInt(s);
  if (value <= ORDER / 2n) return { r: word(BigInt(r)), s: word(value), yParity };
  return { r: word(BigInt(r)), s: word(ORDER - value), yParity: yParity === 0 ? 1 : 0 };
}

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });

function toSafeNumber(nonce: bigint): number {
  const number = Number(nonce);
  if (!Number.isSafeInteger(number) || number < 0) throw new RangeError(`${nonce} is no nonce`);
  return number;
}

/** Call, nonce and fees of a transaction that a lane signed. */
export function readOffer({ raw, transactionId }: SignedTransaction): Omit<Unsigned, 'chainId'> {
  const { to, data, gas, nonce = 0, maxFeePerGas, maxPriorityFeePerGas = 0n } = parseTransaction(bytesToHex(raw));
  if (typeof to !== 'string' || data === undefined || gas === undefined || maxFeePerGas === undefined) {
    throw new Error(`transaction ${transactionId} was not signed by a lane`);
  }
  return { nonce: BigInt(nonce), call: { to, data, gas }, fees: { maxFeePerGas, maxPriorityFeePerGas } };
}
