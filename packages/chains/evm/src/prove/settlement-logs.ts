// Logs that a settlement leaves, compared as whole words, so that no two decodings of one log are possible.

import { ITEM_OUTCOMES, type ItemOutcome } from '@svc-pay/core';
import { type Hex, toEventSelector } from 'viem';
import type { LaneLog } from '../rpc/read-receipt.ts';

export const SETTLED = toEventSelector('PaymentSettled(uint64,address,address,uint64,uint256,uint256,uint256)');
export const FAILED = toEventSelector('PaymentFailed(uint64,address,uint8,bytes)');
export const STRANDED_SETTLED = toEventSelector('StrandedSettled(uint64,address,address,bytes32)');
export const STRANDED_RETURNED = toEventSelector('StrandedReturned(address,address,bytes32,uint256)');
export const AUTHORIZATION_USED = toEventSelector('AuthorizationUsed(address,bytes32)');
export const AUTHORIZATION_CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)');
const ESCROWED = toEventSelector('Escrowed(address,address,uint256)');
export const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const APPROVAL = toEventSelector('Approval(address,address,uint256)');

/** A number or an address as 32 bytes of lower-case hex. */
export function wordOf(value: bigint | string): Hex {
  const digits = typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase();
  return `0x${digits.padStart(64, '0')}`;
}

/** The n-th word of a log's data; undefined past its end. */
export function dataWord({ data }: LaneLog, index: number): bigint | undefined {
  const word = data.slice(2 + index * 64, 2 + (index + 1) * 64);
  return word.length === 64 ? BigInt(`0x${word}`) : undefined;
}

export function hasTopics(log: LaneLog, ...topics: readonly string[]): boolean {
  return log.topics.length === topics.length && topics.every((topic, index) => log.topics[index] === topic);
}

export function isTransfer(log: LaneLog, from: string, to: string, amountAtomic: bigint): boolean {
  return hasTopics(log, TRANSFER, wordOf(from), wordOf(to)) && log.data === wordOf(amountAtomic);
}

export function isApproval(log: LaneLog, owner: string, spender: string): boolean {
  return hasTopics(log, APPROVAL, wordOf(owner), wordOf(spender));
}

/** A leg's destination: its recipient by the token's transfer, or escrow at the processor. */
export type LegLog = { readonly to: string; readonly amountAtomic: bigint; readonly escrowed: boolean };

export function readLeg(log: LaneLog, processor: string, token: string): LegLog | undefined {
  const [selector, first, second] = log.topics;
  const amountAtomic = dataWord(log, 0);
  if (first === undefined || second === undefined || amountAtomic === undefined || log.topics.length !== 3)
    return undefined;
  const to = `0x${second.slice(26)}`;
  if (log.address === processor && selector === ESCROWED && first === wordOf(token)) {
    return { to, amountAtomic, escrowed: true };
  }
  if (log.address === token && selector === TRANSFER && first === wordOf(processor)) {
    return { to, amountAtomic, escrowed: false };
  }
  return undefined;
}

export function failureOf(log: LaneLog): Exclude<ItemOutcome, 'settled'> | undefined {
  const code = ITEM_OUTCOMES[Number(dataWord(log, 0) ?? -1n)];
  return code === 'settled' ? undefined : code;
}
