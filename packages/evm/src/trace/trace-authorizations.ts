// What became of authorizations that the chain calls used. Only finalized logs are believed: a used nonce alone may be our
// own settlement, a stranger's submission, another authorization under the same nonce, or a cancellation.
import { type AuthorizationKind, ChainUnavailable, type LaneItem, type MinedBatch } from '@svc-pay/core';
import type { Address, Hex } from 'viem';
import { askChain, resultOf } from '../lane/ask-chain.ts';
import { findMined } from '../lane/find-mined.ts';
import { type LaneLog, type Receipt, readReceipt } from '../lane/read-receipt.ts';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, isTransfer, SETTLED, wordOf } from '../lane/settlement-logs.ts';
import { provesStranding, type ReceiptLog } from '../processor/proves-stranding.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type FoundLog, findLogs } from './find-logs.ts';

export type TracedAuthorization = {
  readonly asset: string;
  readonly processor: string;
  readonly payer: string;
  /** 0x-hex, 32 bytes. */
  readonly nonce: string;
  readonly kind: AuthorizationKind;
  readonly capAtomic: bigint;
  /** When it was claimed: it was unused then. */
  readonly claimedAtSeconds: bigint;
  /** Its payment; null while an up-to authorization has none. */
  readonly item: LaneItem | null;
};

export type AuthorizationFate =
  /** The processor's own event says that it settled, in this transaction. */
  | { readonly fate: 'settled'; readonly mined: MinedBatch }
  /** It brought its money to the processor, and nothing was settled. The log is the token's transfer. */
  | { readonly fate: 'stranded'; readonly transactionId: string; readonly logIndex: number }
  /** Canceled, or its nonce used without its money coming to us. A permit leaves no log of that. */
  | { readonly fate: 'burned'; readonly transactionId: string | null }
  /** It is unused, and its intent was settled by another. */
  | { readonly fate: 'preempted'; readonly transactionId: string }
  /** No log since it was claimed says anything of it. */
  | { readonly fate: 'untold' };

/** Clocks differ, and a claim is checked a moment before it is written. */
const SLACK_SECONDS = 900n;
const RECEIPTS_AT_ONCE = 100;

/** In their order. Throws `ChainUnavailable` unless every question was answered. */
export async function traceAuthorizations(
  rpc: JsonRpc,
  traced: readonly TracedAuthorization[],
  finalizedNumber: bigint,
): Promise<readonly AuthorizationFate[]> {
  if (traced.length === 0) return [];
  const logs = await findLogs(rpc, filtersFor(traced), {
    toBlock: finalizedNumber,
    sinceSeconds: earliest(traced) - SLACK_SECONDS,
  });
  const receipts = await readReceipts(rpc, [...new Set(logs.map(({ transactionId }) => transactionId))]);
  const fates: AuthorizationFate[] = [];
  for (const authorization of traced) fates.push(await fateOf(rpc, authorization, logs, receipts));
  return fates;
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

async function fateOf(
  rpc: JsonRpc,
  authorization: TracedAuthorization,
  logs: readonly FoundLog[],
  receipts: ReadonlyMap<string, Receipt>,
): Promise<AuthorizationFate> {
  const { item, kind } = authorization;
  const announced = item === null ? [] : logs.filter((log) => announces(log, authorization, item));
  for (const { transactionId } of announced) {
    const mined = item === null ? undefined : await minedAs(rpc, item, transactionId);
    if (mined !== undefined) return { fate: 'settled', mined };
  }
  const use = logs.find((log) => spends(log, authorization));
  if (use === undefined) {
    const [other] = announced;
    if (other !== undefined) return { fate: 'preempted', transactionId: other.transactionId };
    return kind === 'permit' ? { fate: 'burned', transactionId: null } : { fate: 'untold' };
  }
  const { transactionId } = use;
  const receipt = receipts.get(transactionId);
  // Logs of a block whose receipts are not there: the node is not of one mind, and nobody's payment fails for that.
  if (receipt === undefined) throw new ChainUnavailable(`no receipt of ${transactionId}`);
  const transfer = strandingIn(receipt.logs, authorization);
  return transfer === undefined
    ? { fate: 'burned', transactionId }
    : { fate: 'stranded', transactionId, logIndex: transfer.logIndex };
}

function announces(log: FoundLog, { processor }: TracedAuthorization, { intentCode }: LaneItem): boolean {
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

/** Undefined unless the processor's event and the token's transfer before it are this very payment's. */
async function minedAs(rpc: JsonRpc, item: LaneItem, transactionId: string): Promise<MinedBatch | undefined> {
  const transactions = [{ transactionId, raw: new Uint8Array() }];
  const alone = { id: '', nonce: 0n, status: 'broadcast', sentAtMs: 0, transactions, items: [item] } as const;
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

async function readReceipts(rpc: JsonRpc, transactionIds: readonly string[]): Promise<ReadonlyMap<string, Receipt>> {
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
