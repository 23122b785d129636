// Calls that decide a payment's result need a quorum. A receipt counts when two endpoints return the same; for the
// finalized and the latest block the lowest height counts. An endpoint that does not answer has no vote, so a single
// one left decides. When endpoints contradict each other, the call is answered with a refusal and nothing is concluded.
// Heights, blocks and receipts of one answer may come from different endpoints: answers that must fit together are read
// with `collectNodeViews`.
import { majorityOf } from '@svc-pay/core';
import { MAX_VOTERS } from './collect-node-views.ts';
import type { EndpointPool } from './endpoint-pool.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from './rpc-call.ts';
import { votesOf } from './votes-of.ts';

/** Error code of an answer on which the endpoints disagree. */
export const DISAGREEMENT = -32_099;

export function requireEndpointQuorum(pool: EndpointPool, onDisagreement: () => void = () => {}): JsonRpc {
  return async (calls) => {
    const voted = calls.filter((call) => weightOf(call) !== undefined);
    const voters = voted.length === 0 ? [] : (await pool.healthyEndpoints()).slice(0, MAX_VOTERS);
    if (voters.length < 2) return pool.read(calls);
    const others = calls.filter((call) => weightOf(call) === undefined);
    const [votes, rest] = await Promise.all([
      collectVotes(voters, voted, pool.patienceMs),
      others.length === 0 ? [] : pool.read(others),
    ]);
    const answersTo = new Map(voted.map((call) => [call, votes.flatMap((vote) => vote.get(call) ?? [])]));
    if ([...answersTo.values()].some((answers) => answers.length === 0)) return pool.read(calls);
    return calls.map((call) => {
      const weigh = weightOf(call);
      if (weigh === undefined) return rest[others.indexOf(call)] as RpcAnswer;
      const agreed = weigh(answersTo.get(call) ?? []);
      if (!agreed.ok && agreed.code === DISAGREEMENT) onDisagreement();
      return agreed;
    });
  };
}

/** Answers of one endpoint. */
type Vote = ReadonlyMap<RpcCall, RpcAnswer>;

/**
 * All voters tell heights, and more than half of them receipts: that of a full transaction has half a megabyte. The others are asked
 * for receipts only if one of those is silent or differs, since they could not outvote answers that are all the same.
 */
async function collectVotes(
  voters: readonly JsonRpc[],
  calls: readonly RpcCall[],
  patienceMs: number,
): Promise<readonly Vote[]> {
  const receipts = calls.filter(isReceipt);
  const heights = calls.filter((call) => !isReceipt(call));
  const most = Math.floor(voters.length / 2) + 1;
  const ask = async (voter: JsonRpc, asked: readonly RpcCall[]): Promise<Vote> => {
    const answers = await voter(asked);
    return new Map(asked.flatMap((call, index) => (answers[index] ? [[call, answers[index]]] : [])));
  };
  const asked = voters.slice(0, most).map((voter) => ask(voter, calls));
  const besides = heights.length === 0 ? [] : voters.slice(most).map((voter) => ask(voter, heights));
  const votes = await votesOf([...asked, ...besides], patienceMs);
  const agreed = receipts.every((call) => {
    const answers = votes.flatMap((vote) => vote.get(call) ?? []);
    return answers.length === most && areSameReceipts(answers);
  });
  if (agreed) return votes;
  const more = voters.slice(most).map((voter) => ask(voter, receipts));
  return [...votes, ...(await votesOf(more, patienceMs))];
}

type Weigh = (answers: readonly RpcAnswer[]) => RpcAnswer;

const isReceipt = ({ method }: RpcCall): boolean => method === 'eth_getTransactionReceipt';

function weightOf(call: RpcCall): Weigh | undefined {
  const { method, params } = call;
  if (isReceipt(call)) return mostReceipts;
  if (method === 'eth_getBlockByNumber' && params[0] === 'finalized') {
    return (answers) => least(answers, (block) => (block as { number?: unknown } | null)?.number);
  }
  if (method === 'eth_getTransactionCount' && params[1] === 'finalized')
    return (answers) => least(answers, (count) => count);
  // Confirmations are counted from the latest block.
  if (method === 'eth_blockNumber') return (answers) => least(answers, (number) => number);
  return undefined;
}

/** The answer that at least two endpoints give, and more than give any other. */
function mostReceipts(answers: readonly RpcAnswer[]): RpcAnswer {
  const said = answers.filter((answer) => answer.ok);
  const [first] = said;
  if (first === undefined) return answers[0] ?? disagreement();
  if (areSameReceipts(said)) return first;
  return majorityOf(said, (answer) => receiptKey(answer.result))?.[0] ?? disagreement();
}

function least(answers: readonly RpcAnswer[], quantityOf: (result: unknown) => unknown): RpcAnswer {
  const told = answers.flatMap((answer) => {
    const quantity = answer.ok ? quantityOf(answer.result) : undefined;
    return typeof quantity === 'string' && /^0x[0-9a-f]+$/i.test(quantity) ? [{ answer, value: BigInt(quantity) }] : [];
  });
  const lowest = told.toSorted((one, other) => (one.value < other.value ? -1 : 1))[0];
  return lowest?.answer ?? answers[0] ?? disagreement();
}

/** Whether all are the same receipt. A refusal is not. */
function areSameReceipts([first, ...others]: readonly RpcAnswer[]): boolean {
  return first?.ok === true && others.every((other) => other.ok && isSameReceipt(first.result, other.result));
}

/** Field by field: as text, a receipt with 200 payments takes some milliseconds. Only what is written differently is compared as text. */
function isSameReceipt(one: unknown, other: unknown): boolean {
  return isWrittenAlike(factsOf(one), factsOf(other)) || receiptKey(one) === receiptKey(other);
}

function isWrittenAlike(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((part, place) => isWrittenAlike(part, other[place]));
}

type ReceiptFacts = readonly [blockHash: unknown, transactionHash: unknown, quantities: unknown[], logs: unknown[][]];

/** Every field from which something is concluded: the block, the logs, the status, and what the relayer paid. Undefined if not mined. */
function factsOf(result: unknown): ReceiptFacts | undefined {
  if (result === null || result === undefined) return undefined;
  const receipt = result as Record<string, unknown>;
  const { blockHash, transactionHash, logs } = receipt;
  if (blockHash === null || blockHash === undefined) return undefined;
  const plain = (Array.isArray(logs) ? logs : []).map((log: Record<string, unknown>) => [
    log['address'],
    log['topics'],
    log['data'],
    log['logIndex'],
  ]);
  const quantities = ['status', 'blockNumber', 'gasUsed', 'effectiveGasPrice', 'l1Fee'].map((name) => receipt[name]);
  return [blockHash, transactionHash, quantities, plain];
}

function receiptKey(result: unknown): string {
  const facts = factsOf(result);
  if (facts === undefined) return 'none';
  const [blockHash, transactionHash, quantities, logs] = facts;
  return JSON.stringify([blockHash, transactionHash, quantities.map(quantityKey), logs]).toLowerCase();
}

/** Equal for 0x1 and 0x01, and for a field that is null or absent. */
function quantityKey(value: unknown): string {
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)
    ? BigInt(value).toString()
    : JSON.stringify(value ?? null);
}

const disagreement = (): RpcAnswer => ({
  ok: false,
  code: DISAGREEMENT,
  message: 'the endpoints contradict each other',
  data: null,
});
