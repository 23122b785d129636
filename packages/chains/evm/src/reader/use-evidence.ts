// What the use of an authorization caused, by the receipt of its transaction: the token's very next log.
import type { AuthorizationLog, TransferLog, UseEvidence } from '@svc-pay/core';
import { AUTHORIZATION_USED, dataWord, hasTopics, TRANSFER, wordOf } from '../prove/settlement-logs.ts';
import { addressOf, isAddressWord, type RawLog } from './money-logs.ts';
import { readReceiptLogs } from './receipt-logs.ts';

const WORD_LENGTH = 66;
const TRANSFER_TOPICS = 3;

/** Undefined without a receipt, and for a receipt that does not have the use at its log index. */
export function useEvidenceOf(use: AuthorizationLog, receipt: unknown): UseEvidence | undefined {
  const { address, payer, nonce, position } = use;
  const read = readReceiptLogs(position, receipt);
  if (read === undefined) return undefined;
  const ofToken = read.logs.filter((log) => log.address === address);
  const index = ofToken.findIndex((log) => log.logIndex === position.logIndex);
  const used = ofToken[index];
  if (used === undefined || !hasTopics(used, AUTHORIZATION_USED, wordOf(payer), wordOf(nonce))) return undefined;
  const next = ofToken[index + 1];
  return {
    transactionId: position.transactionId,
    blockHash: read.blockHash,
    transfer: next === undefined ? undefined : transferOf(next),
  };
}

/** Undefined for another log. */
function transferOf(log: RawLog): TransferLog | undefined {
  const [topic, from, to] = log.topics;
  const valueAtomic = dataWord(log, 0);
  if (topic !== TRANSFER || from === undefined || to === undefined || valueAtomic === undefined) return undefined;
  if (log.topics.length !== TRANSFER_TOPICS || log.data.length !== WORD_LENGTH) return undefined;
  if (!isAddressWord(from) || !isAddressWord(to)) return undefined;
  return { logIndex: log.logIndex, from: addressOf(from), to: addressOf(to), valueAtomic };
}
