// Decodes the logs of processor and tokens that the books are compared with.
import { type Hex, toEventSelector } from 'viem';

export type ChainLog = {
  /** Lower case, like every address and hash here. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: bigint;
  readonly transactionId: string;
  readonly logIndex: number;
};

const SETTLED = toEventSelector('PaymentSettled(uint64,address,address,uint64,uint256,uint256,uint256)');
const RECEIVED = toEventSelector('PaymentReceived(uint64,address,address,uint64,uint256,uint256)');
const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const ESCROWED = toEventSelector('Escrowed(address,address,uint256)');
const WITHDRAWN = toEventSelector('EscrowWithdrawn(address,address,uint256)');
export const TRANSFER: Hex = toEventSelector('Transfer(address,address,uint256)');

export type SettledEvent = {
  readonly log: ChainLog;
  readonly intentCode: bigint;
  readonly payer: string;
  readonly token: string;
  readonly payoutId: bigint;
  readonly capAtomic: bigint;
  readonly settledAtomic: bigint;
  readonly feeAtomic: bigint;
};

export function settledEventOf(log: ChainLog): SettledEvent | undefined {
  const [topic, code, payer, token] = log.topics;
  if (topic !== SETTLED || code === undefined || payer === undefined || token === undefined) return undefined;
  return {
    log,
    intentCode: BigInt(code),
    payer: addressOf(payer),
    token: addressOf(token),
    payoutId: wordOf(log.data, 0),
    capAtomic: wordOf(log.data, 1),
    settledAtomic: wordOf(log.data, 2),
    feeAtomic: wordOf(log.data, 3),
  };
}

export type ReceivedEvent = Omit<SettledEvent, 'capAtomic' | 'settledAtomic'> & { readonly amountAtomic: bigint };

export function receivedEventOf(log: ChainLog): ReceivedEvent | undefined {
  const [topic, code, payer, token] = log.topics;
  if (topic !== RECEIVED || code === undefined || payer === undefined || token === undefined) return undefined;
  return {
    log,
    intentCode: BigInt(code),
    payer: addressOf(payer),
    token: addressOf(token),
    payoutId: wordOf(log.data, 0),
    amountAtomic: wordOf(log.data, 1),
    feeAtomic: wordOf(log.data, 2),
  };
}

export type Moved = {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amountAtomic: bigint;
};

export function transferOf(log: ChainLog): Moved | undefined {
  const [topic, from, to] = log.topics;
  if (topic !== TRANSFER || from === undefined || to === undefined || log.topics.length !== 3) return undefined;
  return { token: log.address, from: addressOf(from), to: addressOf(to), amountAtomic: wordOf(log.data, 0) };
}

/** The authorization that a token calls used. */
export function usedOf(log: ChainLog): { readonly payer: string; readonly nonce: string } | undefined {
  const [topic, payer, nonce] = log.topics;
  if (topic !== USED || payer === undefined || nonce === undefined || log.topics.length !== 3) return undefined;
  return { payer: addressOf(payer), nonce };
}

/**
 * The use and the transfer that prove a direct payment, where the log at `logIndex` is the transfer: the token's very
 * next log after the use, in one transaction. `logs` are those of the transaction.
 */
export function directPairAt(logs: readonly ChainLog[], token: string, logIndex: number) {
  const own = logs.filter(({ address }) => address === token).sort((one, other) => one.logIndex - other.logIndex);
  const at = own.findIndex((log) => log.logIndex === logIndex);
  const [useLog, transferLog] = [own[at - 1], own[at]];
  const used = useLog === undefined ? undefined : usedOf(useLog);
  const moved = transferLog === undefined ? undefined : transferOf(transferLog);
  return used === undefined || moved === undefined ? undefined : { used, moved };
}

export type Kept = { readonly token: string; readonly account: string; readonly amountAtomic: bigint };

export const escrowedOf = (log: ChainLog): Kept | undefined => keptOf(log, ESCROWED);
export const withdrawnOf = (log: ChainLog): Kept | undefined => keptOf(log, WITHDRAWN);

function keptOf(log: ChainLog, event: string): Kept | undefined {
  const [topic, token, account] = log.topics;
  if (topic !== event || token === undefined || account === undefined) return undefined;
  return { token: addressOf(token), account: addressOf(account), amountAtomic: wordOf(log.data, 0) };
}

export const topicOf = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

const addressOf = (topic: string): string => `0x${topic.slice(26)}`;

function wordOf(data: string, index: number): bigint {
  const word = data.slice(2 + index * 64, 66 + index * 64);
  if (word.length !== 64) throw new Error('a log is shorter than its event');
  return BigInt(`0x${word}`);
}
