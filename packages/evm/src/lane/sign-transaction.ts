// Bytes ready to send. The signer sees a digest and nothing else, and its answer is checked: a transaction of another
// sender, or one that nodes refuse for its s, never leaves here.
import type { SignedTransaction } from '@svc-pay/core';
import { type Hex, hexToBytes, keccak256, numberToHex, serializeTransaction } from 'viem';
import type { DigestSignature, TransactionSigner } from '../signer/transaction-signer.ts';
import { recoverSigner } from '../verify/recover-signer.ts';
import type { LaneCall } from './lane-call.ts';
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
  const bytes = Buffer.from(signed.r.slice(2) + signed.s.slice(2), 'hex');
  const sender = recoverSigner(digest, { bytes, recovery: signed.yParity });
  if (sender !== signer.address.toLowerCase()) throw new Error('the signer answered for another key');
  const raw = serializeTransaction(transaction, { ...signed, v: BigInt(27 + signed.yParity) });
  return { transactionId: keccak256(raw), raw: hexToBytes(raw) };
}

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
