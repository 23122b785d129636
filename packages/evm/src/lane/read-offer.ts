import type { SignedTransaction } from '@svc-pay/core';
import { bytesToHex, parseTransaction } from 'viem';
import type { Unsigned } from './sign-transaction.ts';

/** What a signed transaction of ours calls, under which nonce, and what it offers for its gas. */
export function readOffer({ raw, transactionId }: SignedTransaction): Omit<Unsigned, 'chainId'> {
  const { to, data, gas, nonce = 0, maxFeePerGas, maxPriorityFeePerGas = 0n } = parseTransaction(bytesToHex(raw));
  if (typeof to !== 'string' || data === undefined || gas === undefined || maxFeePerGas === undefined) {
    throw new Error(`${transactionId} is no transaction of a lane`);
  }
  return { nonce: BigInt(nonce), call: { to, data, gas }, fees: { maxFeePerGas, maxPriorityFeePerGas } };
}
