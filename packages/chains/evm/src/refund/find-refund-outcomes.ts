// What became of open refunds, by final blocks alone. Each node answers at its own finalized height, all questions about a
// refund, and then the answers of the nodes are compared.
import { isLateRefund, isOverdueReport, majorityOf, type OpenRefund, type RefundOutcome, viewKey } from '@svc-pay/core';
import { numberToHex } from 'viem';
import { type FoundLog, findLogs } from '../finality/find-logs.ts';
import { readAuthorizationStates } from '../finality/read-authorization-status.ts';
import { type FinalNode, readFinalNodes } from '../finality/read-finality.ts';
import { readReceipts, SLACK_SECONDS, TRACE_PATIENCE_MS } from '../finality/trace-authorizations.ts';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, wordOf } from '../prove/settlement-logs.ts';
import { askChain, blockTimeOf, resultOf } from '../rpc/ask-chain.ts';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { Receipt } from '../rpc/read-receipt.ts';
import { judgeReported, judgeUse } from './judge-refund-logs.ts';

const OPEN: RefundOutcome = { outcome: 'open' };
const NOT_FOUND: RefundOutcome = { outcome: 'void', reason: 'not_found' };

/** In the order given. Throws `ChainUnavailable` when no node answers. */
export async function findRefundOutcomes(
  nodes: readonly JsonRpc[],
  refunds: readonly OpenRefund[],
  nowMs: number,
): Promise<readonly RefundOutcome[]> {
  const final = await readFinalNodes(nodes);
  const views = await collectNodeViews(final, (node) => outcomesAt(node, refunds, nowMs), TRACE_PATIENCE_MS);
  return refunds.map((_, index) => {
    const told = views.flatMap((view) => view[index] ?? []);
    // Nodes that did not finish count as answers that differ: what is decided here is never taken back.
    return majorityOf(told, viewKey, final.length)?.[0] ?? OPEN;
  });
}

async function outcomesAt(
  node: FinalNode,
  refunds: readonly OpenRefund[],
  nowMs: number,
): Promise<readonly RefundOutcome[]> {
  const isSigned = (refund: OpenRefund): refund is SignedRefund => refund.kind !== 'reported' && refund.nonce !== null;
  const signed = refunds.filter(isSigned);
  const outcomes = new Map<OpenRefund, RefundOutcome>([
    ...(await signedAt(node, signed, nowMs)),
    ...(await reportedAt(
      node,
      refunds.filter(({ kind }) => kind === 'reported'),
      nowMs,
    )),
  ]);
  return refunds.map((refund) => outcomes.get(refund) ?? OPEN);
}

export type SignedRefund = OpenRefund & { readonly nonce: string };

type Outcomes = ReadonlyMap<OpenRefund, RefundOutcome>;

async function signedAt(at: FinalNode, refunds: readonly SignedRefund[], nowMs: number): Promise<Outcomes> {
  if (refunds.length === 0) return new Map();
  const { node, finalizedNumber, finalizedTimeSeconds } = at;
  const asked = refunds.map(({ asset, wallet, nonce }) => ({ asset, payer: wallet, nonce }));
  const used = await readAuthorizationStates(node, asked, finalizedNumber);
  const spent = refunds.filter((_, index) => used[index]);
  const uses = await findUses(at, spent);
  return new Map(
    refunds.map((refund, index): [OpenRefund, RefundOutcome] => {
      if (!used[index]) return [refund, unusedOutcome(refund, finalizedTimeSeconds, nowMs)];
      const use = uses.get(refund);
      // The nonce is used, and the node has no log of it: its answers contradict each other.
      return [refund, use === undefined ? OPEN : judgeUse(refund, use)];
    }),
  );
}

function unusedOutcome(refund: SignedRefund, finalizedTimeSeconds: bigint, nowMs: number): RefundOutcome {
  const { validBeforeSeconds, signature } = refund;
  if (signature === null) return isLateRefund(refund, nowMs) ? NOT_FOUND : OPEN;
  const isOver = validBeforeSeconds !== null && validBeforeSeconds < finalizedTimeSeconds;
  return isOver ? { outcome: 'void', reason: 'expired' } : OPEN;
}

/** The receipts in which these nonces were used or canceled, the search beginning at the newest final block. */
async function findUses(
  { node, finalizedNumber }: FinalNode,
  spent: readonly SignedRefund[],
): Promise<ReadonlyMap<SignedRefund, Receipt>> {
  if (spent.length === 0) return new Map();
  const distinct = (words: readonly string[]) => [...new Set(words)];
  const filter = {
    address: distinct(spent.map(({ asset }) => asset.toLowerCase())),
    topics: [
      [AUTHORIZATION_USED, AUTHORIZATION_CANCELED],
      distinct(spent.map(({ wallet }) => wordOf(wallet))),
      distinct(spent.map(({ nonce }) => wordOf(nonce))),
    ],
  };
  const useOf = (refund: SignedRefund, logs: readonly FoundLog[]) => logs.find((log) => isUseOf(log, refund));
  const logs = await findLogs(node, [filter], {
    toBlock: finalizedNumber,
    sinceSeconds: (await earliest(node, spent)) - SLACK_SECONDS,
    isEnough: (found) => spent.every((refund) => useOf(refund, found) !== undefined),
  });
  const receipts = await readReceipts(node, distinct(logs.map(({ transactionId }) => transactionId)));
  return new Map(
    spent.flatMap((refund) => {
      const receipt = receipts.get(useOf(refund, logs)?.transactionId ?? '');
      return receipt === undefined ? [] : [[refund, receipt] as const];
    }),
  );
}

function isUseOf({ address, topics }: FoundLog, { asset, wallet, nonce }: SignedRefund): boolean {
  return address === asset.toLowerCase() && topics[1] === wordOf(wallet) && topics[2] === wordOf(nonce);
}

/** No refund is older than its row; one that the database lost is not older than its payment. */
async function earliest(node: JsonRpc, spent: readonly SignedRefund[]): Promise<bigint> {
  const known = spent.filter(({ signature }) => signature !== null);
  const lost = spent.filter(({ signature }) => signature === null);
  const times = known.map(({ createdAtMs }) => BigInt(Math.floor(createdAtMs / 1_000)));
  const ids = lost.flatMap(({ payment }) => payment.transactionId ?? []);
  const receipts = await readReceipts(node, [...new Set(ids)]);
  const blocks = [...receipts.values()].map(({ blockNumber }) => numberToHex(blockNumber));
  const answers =
    blocks.length === 0
      ? []
      : await askChain(
          node,
          blocks.map((block) => ({ method: 'eth_getBlockByNumber', params: [block, false] })),
        );
  const [first, ...others] = [...times, ...answers.map(blockTimeOf)];
  return others.reduce((least, time) => (time < least ? time : least), first ?? 0n);
}

async function reportedAt(at: FinalNode, refunds: readonly OpenRefund[], nowMs: number): Promise<Outcomes> {
  // One malformed id would make a node refuse the question.
  const readable = refunds.filter(({ reported }) => /^0x[0-9a-f]{64}$/i.test(reported?.transactionId ?? ''));
  const ids = readable.flatMap((refund) => [reportedId(refund), paidId(refund)]).filter((id) => id !== '');
  const receipts = await readReceipts(at.node, [...new Set(ids)]);
  const overdue = readable.filter((one) => !receipts.has(reportedId(one)) && isOverdueReport(one, nowMs));
  const pending = await findPending(at.node, [...new Set(overdue.map(reportedId))]);
  return new Map(
    refunds.map((refund): [OpenRefund, RefundOutcome] => {
      const receipt = receipts.get(reportedId(refund));
      const isUnknown = overdue.includes(refund) && !pending.has(reportedId(refund));
      if (!readable.includes(refund) || isUnknown) return [refund, NOT_FOUND];
      const outcome =
        receipt === undefined || receipt.blockNumber > at.finalizedNumber
          ? OPEN
          : judgeReported(refund, receipt, refund.payment.blockNumber ?? receipts.get(paidId(refund))?.blockNumber);
      return [refund, outcome.outcome === 'open' && isLateRefund(refund, nowMs) ? NOT_FOUND : outcome];
    }),
  );
}

const reportedId = ({ reported }: OpenRefund) => reported?.transactionId.toLowerCase() ?? '';
const paidId = ({ payment }: OpenRefund) => payment.transactionId?.toLowerCase() ?? '';

/** Those of the transactions that the node knows. */
async function findPending(node: JsonRpc, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const asked = ids.map((id) => ({ method: 'eth_getTransactionByHash', params: [id] }));
  const answers = await askChain(node, asked);
  return new Set(ids.filter((_, index) => (resultOf(answers[index]) ?? null) !== null));
}
