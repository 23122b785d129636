// Decodes the logs that the chain reader asks for. Everything in a log is compared or bounded before it is believed: two
// nodes that tell the same log must give the same bytes, and a log that does not fit the question is no answer to it.
import {
  type AuthorizationLog,
  ChainUnavailable,
  type MoneyLog,
  type ProcessorLog,
  type ReadRange,
} from '@svc-pay/core';
import { type Hex, toEventSelector } from 'viem';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, dataWord, SETTLED } from '../prove/settlement-logs.ts';
import { fieldOf, quantityOf } from '../rpc/ask-chain.ts';

export const RECEIVED: Hex = toEventSelector('PaymentReceived(uint64,address,address,uint64,uint256,uint256)');

/** A source as it is asked for: its address in lower case. */
export type SourceKinds = ReadonlyMap<string, 'processor' | 'token'>;

export type RawLog = {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly transactionId: Hex;
  readonly logIndex: number;
};

const MAX_LOG_INDEX = 2n ** 31n - 1n;
const UINT64_END = 1n << 64n;
const TOPICS_OF_AUTHORIZATION = 3;
const TOPICS_OF_PAYMENT = 4;

/** One log as a node writes it. Throws `ChainUnavailable` unless every field is there and in its form. */
export function readRawLog(value: unknown): RawLog {
  const topics = fieldOf(value, 'topics');
  if (!Array.isArray(topics) || topics.length > TOPICS_OF_PAYMENT) throw unusable('a log without topics');
  const logIndex = quantityOf(fieldOf(value, 'logIndex'));
  if (logIndex > MAX_LOG_INDEX) throw unusable('a log index out of range');
  return {
    address: hexOf(fieldOf(value, 'address'), 20),
    topics: topics.map((topic) => hexOf(topic, 32)),
    data: hexOf(fieldOf(value, 'data')),
    blockNumber: quantityOf(fieldOf(value, 'blockNumber')),
    blockHash: hexOf(fieldOf(value, 'blockHash'), 32),
    transactionId: hexOf(fieldOf(value, 'transactionHash'), 32),
    logIndex: Number(logIndex),
  };
}

/**
 * The money logs of an answer, in chain order. Throws `ChainUnavailable` for an answer that contradicts itself or the
 * question: a log of another address or block, a log twice, two hashes of one block, a log that the node calls removed.
 */
export function readMoneyLogs(answer: unknown, range: ReadRange, sources: SourceKinds): readonly MoneyLog[] {
  if (!Array.isArray(answer)) throw unusable('no logs');
  const raw = answer.map((value: unknown) => {
    if (fieldOf(value, 'removed') === true) throw unusable('a removed log');
    return readRawLog(value);
  });
  raw.sort((one, other) =>
    one.blockNumber === other.blockNumber
      ? one.logIndex - other.logIndex
      : one.blockNumber < other.blockNumber
        ? -1
        : 1,
  );
  const logs: MoneyLog[] = [];
  let before: RawLog | undefined;
  for (const log of raw) {
    if (log.blockNumber < range.from || log.blockNumber > range.to) throw unusable('a log outside of the range');
    if (before?.blockNumber === log.blockNumber) {
      if (before.logIndex === log.logIndex) throw unusable('two logs in one place');
      if (before.blockHash !== log.blockHash) throw unusable('two hashes of one block');
    }
    before = log;
    const kind = sources.get(log.address);
    if (kind === undefined) throw unusable('a log of another contract');
    const read = kind === 'processor' ? processorLogOf(log) : authorizationLogOf(log);
    if (read !== undefined) logs.push(read);
  }
  return logs;
}

/** Undefined for another event. Throws where the event is the processor's and its fields are not. */
function processorLogOf(log: RawLog): ProcessorLog | undefined {
  const [topic, code, payer, asset] = log.topics;
  const event = topic === SETTLED ? 'payment_settled' : topic === RECEIVED ? 'payment_received' : undefined;
  if (event === undefined) return undefined;
  if (code === undefined || payer === undefined || asset === undefined) throw unusable('a payment without its topics');
  const words = event === 'payment_settled' ? 4 : 3;
  if (log.data.length !== 2 + words * 64) throw unusable('a payment of another length');
  return {
    event,
    address: log.address,
    position: positionOf(log),
    intentCode: uint64Of(BigInt(code)),
    payer: addressOf(payer),
    asset: addressOf(asset),
    payoutId: uint64Of(wordOf(log, 0)),
    // Of a settled payment the cap comes before the amount that was settled.
    amountAtomic: wordOf(log, words - 2),
    feeAtomic: wordOf(log, words - 1),
  };
}

/**
 * Undefined for another event, and for one of the same name whose fields are not indexed as EIP-3009 says: whatever a
 * token logs, the logs of other contracts are read.
 */
function authorizationLogOf(log: RawLog): AuthorizationLog | undefined {
  const [topic, payer, nonce] = log.topics;
  const event =
    topic === AUTHORIZATION_USED
      ? 'authorization_used'
      : topic === AUTHORIZATION_CANCELED
        ? 'authorization_canceled'
        : undefined;
  if (event === undefined || payer === undefined || nonce === undefined) return undefined;
  if (log.topics.length !== TOPICS_OF_AUTHORIZATION || log.data !== '0x' || !isAddressWord(payer)) return undefined;
  return { event, address: log.address, position: positionOf(log), payer: addressOf(payer), nonce };
}

/** 0x-hex in lower case, of so many bytes. */
export function hexOf(value: unknown, bytes?: number): Hex {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(value)) throw unusable('not hex');
  if (bytes !== undefined && value.length !== 2 + bytes * 2) throw unusable(`not ${bytes} bytes`);
  return value.toLowerCase() as Hex;
}

export const isAddressWord = (word: string): boolean => word.startsWith(`0x${'0'.repeat(24)}`);

export function addressOf(word: string): string {
  if (!isAddressWord(word)) throw unusable('not an address');
  return `0x${word.slice(26)}`;
}

export const unusable = (what: string): ChainUnavailable => new ChainUnavailable(`the node answers ${what}`);

const positionOf = ({ blockNumber, blockHash, transactionId, logIndex }: RawLog) => ({
  blockNumber,
  blockHash,
  transactionId,
  logIndex,
});

function wordOf(log: RawLog, index: number): bigint {
  const word = dataWord(log, index);
  if (word === undefined) throw unusable('a log that is too short');
  return word;
}

function uint64Of(value: bigint): bigint {
  if (value >= UINT64_END) throw unusable('a number out of range');
  return value;
}
