// Parses a receipt strictly: one malformed field and nothing is concluded from the receipt.
import { ChainUnavailable } from '@svc-pay/core';
import type { Hex } from 'viem';
import { fieldOf, quantityOf } from './ask-chain.ts';

export type LaneLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: Hex;
  /** Index within the block. */
  readonly logIndex: number;
};

export type Receipt = {
  readonly transactionId: string;
  /** The relayer that sent the transaction. */
  readonly from: string;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly reverted: boolean;
  readonly gasCostAtomic: bigint;
  readonly logs: readonly LaneLog[];
};

/** Undefined while the transaction is not mined. All hex in lower case. */
export function readReceipt(value: unknown): Receipt | undefined {
  if (value === null || value === undefined) return undefined;
  const blockHash = fieldOf(value, 'blockHash');
  // Some nodes return a receipt for a transaction that is only pending.
  if (blockHash === null || blockHash === undefined) return undefined;
  const status = quantityOf(fieldOf(value, 'status'));
  const logs = fieldOf(value, 'logs');
  if (!Array.isArray(logs)) throw new ChainUnavailable('a receipt without logs');
  const transactionId = hexOf(fieldOf(value, 'transactionHash'));
  // A log of another transaction proves nothing about this one, nor does a receipt that has it.
  if (logs.some((log: unknown) => isOfAnother(log, transactionId))) return undefined;
  const gasUsed = quantityOf(fieldOf(value, 'gasUsed'));
  // OP-stack rollups charge the L1 data fee separately from gas.
  const l1Fee = fieldOf(value, 'l1Fee');
  return {
    transactionId,
    from: hexOf(fieldOf(value, 'from')),
    blockNumber: quantityOf(fieldOf(value, 'blockNumber')),
    blockHash: hexOf(blockHash),
    reverted: status === 0n,
    gasCostAtomic:
      gasUsed * quantityOf(fieldOf(value, 'effectiveGasPrice')) + (typeof l1Fee === 'string' ? quantityOf(l1Fee) : 0n),
    logs: logs.map(readLog),
  };
}

function isOfAnother(log: unknown, transactionId: string): boolean {
  const of = fieldOf(log, 'transactionHash');
  return of !== undefined && hexOf(of) !== transactionId;
}

function readLog(value: unknown): LaneLog {
  const topics = fieldOf(value, 'topics');
  if (!Array.isArray(topics)) throw new ChainUnavailable('a log without topics');
  return {
    address: hexOf(fieldOf(value, 'address')),
    topics: topics.map(hexOf),
    data: hexOf(fieldOf(value, 'data')),
    logIndex: Number(quantityOf(fieldOf(value, 'logIndex'))),
  };
}

function hexOf(value: unknown): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-f]*$/i.test(value)) throw new ChainUnavailable('not hex');
  return value.toLowerCase() as Hex;
}
