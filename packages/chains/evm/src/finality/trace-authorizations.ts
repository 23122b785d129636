// Finds the outcome of authorizations that the chain calls used. Only finalized logs count: a used nonce alone may be
// our own settlement, a third party's submission, another authorization under the same nonce, or a cancellation.
import {
  type AuthorizationOutcome,
  BATCH_STATUS,
  ChainUnavailable,
  type LaneItem,
  type MinedBatch,
  type TracedAuthorization,
} from '@svc-pay/core';
import type { Address, Hex } from 'viem';
import { findMined } from '../prove/find-mined.ts';
import { provesStranding, type ReceiptLog } from '../prove/proves-stranding.ts';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, isTransfer, SETTLED, wordOf } from '../prove/settlement-logs.ts';
import { askChain, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type LaneLog, type Receipt, readReceipt } from '../rpc/read-receipt.ts';
import { type FoundLog, findLogs } from './find-logs.ts';

/** A log search over days takes some nodes longer than others. */
export const TRACE_PATIENCE_MS = 10_000;
/** Clocks differ, and the check of a claim happens a moment before the claim is written. */
export const SLACK_SECONDS = 900n;
const RECEIPTS_AT_ONCE = 100;

/** Outcomes in the order given. Throws `ChainUnavailable` unless every call was answered. */
export async function traceAuthorizations(
  rpc: JsonRpc,
  traced: readonly TracedAuthorization[],
  finalizedNumber: bigint,
): Promise<readonly AuthorizationOutcome[]> {
  const settled = await settledByOwn(rpc, traced, finalizedNumber);
  const searched = traced.filter((authorization) => !settled.has(authorization));
  const logs =
    searched.length === 0
      ? []
      : await findLogs(rpc, filtersFor(searched), {
          toBlock: finalizedNumber,
          sinceSeconds: earliest(searched) - SLACK_SECONDS,
        });
  const receipts = await readReceipts(rpc, [...new Set(logs.map(({ transactionId }) => transactionId))]);
  const outcomes: AuthorizationOutcome[] = [];
  for (const authorization of traced) {
    outcomes.push(settled.get(authorization) ?? (await outcomeOf(rpc, authorization, logs, receipts)));
  }
  return outcomes;
}

/** Authorizations that one of our transactions settled in a final block, in whatever batch. */
async function settledByOwn(
  rpc: JsonRpc,
  traced: readonly TracedAuthorization[],
  finalizedNumber: bigint,
): Promise<ReadonlyMap<TracedAuthorization, AuthorizationOutcome>> {
  const signed = traced.flatMap(({ signedTransactionIds = [] }) => signedTransactionIds);
  const receipts = await readReceipts(rpc, [...new Set(signed)]);
  const settled = new Map<TracedAuthorization, AuthorizationOutcome>();
  for (const authorization of traced) {
    const { item, signedTransactionIds = [] } = authorization;
    if (item === null) continue;
    for (const transactionId of signedTransactionIds) {
      const receipt = receipts.get(transactionId);
      if (receipt === undefined || receipt.blockNumber > finalizedNumber) continue;
      if (!receipt.logs.some((log) => settles(log, authorization, item))) continue;
      const mined = await minedAs(rpc, item, transactionId);
      if (mined !== undefined) settled.set(authorization, { outcome: 'settled', mined });
    }
  }
  return settled;
}

function filtersFor(traced: readonly TracedAuthorization[]) {
  const distinct = (words: readonly string[]) => [...new Set(words)];
  const codes = traced.flatMap(({ item }) => (item === null ? [] : [wordOf(item.intentCode)]));
  const uses = {
    address: distinct(traced.map(({ asset }) => asset.toLowerCase())),
    topics: [
      [AUTHORIZATION_USED, AUTHORIZATION_CANCELED],
      distinct(traced.map(({ payer }) => wordOf(payer))),
      distinct(traced.map(({ nonce }) => wordOf(nonce))),
    ],
  };
  if (codes.length === 0) return [uses];
  const processors = distinct(traced.map(({ processor }) => processor.toLowerCase()));
  return [uses, { address: processors, topics: [[SETTLED], codes] }];
}

function earliest(traced: readonly TracedAuthorization[]): bigint {
  return traced.reduce(
    (least, { claimedAtSeconds }) => (claimedAtSeconds < least ? claimedAtSeconds : least),
    traced[0]?.claimedAtSeconds ?? 0n,
  );
}

async function outcomeOf(
  rpc: JsonRpc,
  authorization: TracedAuthorization,
  logs: readonly FoundLog[],
  receipts: ReadonlyMap<string, Receipt>,
): Promise<AuthorizationOutcome> {
  const { item, kind } = authorization;
  const announced = item === null ? [] : logs.filter((log) => announces(log, authorization, item));
  for (const { transactionId } of announced) {
    const mined = item === null ? undefined : await minedAs(rpc, item, transactionId);
    if (mined !== undefined) return { outcome: 'settled', mined };
  }
  const use = logs.find((log) => spends(log, authorization));
  if (use === undefined) {
    const [other] = announced;
    if (other !== undefined) return { outcome: 'preempted', transactionId: other.transactionId };
    return kind === 'permit' ? { outcome: 'burned', transactionId: null } : { outcome: 'untold' };
  }
  const { transactionId } = use;
  const receipt = receipts.get(transactionId);
  // The node has the log but not the receipt: its answers contradict each other, and no payment may fail by them.
  if (receipt === undefined) throw new ChainUnavailable(`no receipt of ${transactionId}`);
  const transfer = strandingIn(receipt.logs, authorization);
  if (transfer !== undefined) return { outcome: 'stranded', transactionId, logIndex: transfer.logIndex };
  // The search for the processor's events may have been incomplete; the receipt of the use is complete.
  if (item !== null && receipt.logs.some((log) => settles(log, authorization, item))) {
    const mined = await minedAs(rpc, item, transactionId);
    if (mined !== undefined) return { outcome: 'settled', mined };
    throw new Error(`${transactionId} names intent code ${item.intentCode} as settled and does not prove it`);
  }
  return { outcome: 'burned', transactionId };
}

/** Whether the log is the processor's settlement event for this intent and this payer. */
function settles(log: LaneLog, authorization: TracedAuthorization, item: LaneItem): boolean {
  return announces(log, authorization, item) && log.topics[2] === wordOf(authorization.payer);
}

function announces(
  log: Pick<FoundLog, 'address' | 'topics'>,
  { processor }: TracedAuthorization,
  { intentCode }: LaneItem,
): boolean {
  return log.address === processor.toLowerCase() && log.topics[0] === SETTLED && log.topics[1] === wordOf(intentCode);
}

function spends(log: FoundLog, { asset, payer, nonce }: TracedAuthorization): boolean {
  return (
    log.address === asset.toLowerCase() &&
    (log.topics[0] === AUTHORIZATION_USED || log.topics[0] === AUTHORIZATION_CANCELED) &&
    log.topics[1] === wordOf(payer) &&
    log.topics[2] === wordOf(nonce)
  );
}

/** Undefined unless the processor's event and the token's transfer before it belong to exactly this payment. */
async function minedAs(rpc: JsonRpc, item: LaneItem, transactionId: string): Promise<MinedBatch | undefined> {
  const transactions = [{ transactionId, raw: new Uint8Array() }];
  const { broadcast: status } = BATCH_STATUS;
  const alone = { id: '', nonce: 0n, status, sentAtMs: 0, transactions, items: [item] } as const;
  const [mined] = await findMined(rpc, [alone]);
  return mined?.items[0]?.outcome === 'settled' ? mined : undefined;
}

function strandingIn(logs: readonly LaneLog[], authorization: TracedAuthorization): LaneLog | undefined {
  const { asset, processor, payer, nonce, capAtomic, kind } = authorization;
  if (kind !== 'transfer_with_authorization') return undefined;
  const submission = {
    token: asset.toLowerCase() as Address,
    processor: processor.toLowerCase() as Address,
    from: payer.toLowerCase() as Address,
    nonce: nonce as Hex,
    valueAtomic: capAtomic,
  };
  if (!provesStranding(logs as readonly ReceiptLog[], submission)) return undefined;
  const used = logs.findIndex(
    (log) =>
      log.address === submission.token &&
      log.topics[0] === AUTHORIZATION_USED &&
      log.topics[1] === wordOf(payer) &&
      log.topics[2] === wordOf(nonce),
  );
  return logs.find((log, index) => index > used && isTransfer(log, payer, processor, capAtomic));
}

export async function readReceipts(
  rpc: JsonRpc,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, Receipt>> {
  const receipts = new Map<string, Receipt>();
  for (let start = 0; start < transactionIds.length; start += RECEIPTS_AT_ONCE) {
    const asked = transactionIds.slice(start, start + RECEIPTS_AT_ONCE);
    const answers = await askChain(
      rpc,
      asked.map((id) => ({ method: 'eth_getTransactionReceipt', params: [id] })),
    );
    for (const [index, id] of asked.entries()) {
      const receipt = readReceipt(resultOf(answers[index]));
      if (receipt !== undefined) receipts.set(id, receipt);
    }
  }
  return receipts;
}
