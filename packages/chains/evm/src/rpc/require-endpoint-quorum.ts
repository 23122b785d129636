// Calls that decide a payment's result need a quorum. A receipt counts when two endpoints return the same; for the
// finalized and the latest block the lowest height counts. An endpoint that does not answer has no vote, so a single
// one left decides. When endpoints contradict each other, the call is answered with a refusal and nothing is concluded.
// Heights, blocks and receipts of one answer may come from different endpoints: answers that must fit together are read
// with `collectNodeViews`.
import { majorityOf } from '@svc-pay/core';
import { fieldOf } from './ask-chain.ts';
import { MAX_VOTERS } from './collect-node-views.ts';
import type { EndpointPool } from './endpoint-pool.ts';
import { readReceipt } from './read-receipt.ts';
import { type JsonRpc, type RpcAnswer, type RpcCall, readQuantity } from './rpc-call.ts';
import { votesOf } from './votes-of.ts';

/** Error code of an answer on which the endpoints disagree. */
export const DISAGREEMENT = -32_099;
/** Error code of a receipt that can't be read. */
const UNREADABLE = -32_097;

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
    return new Map(
      asked.flatMap((call, index) => {
        const answer = answers[index];
        return answer === undefined ? [] : [[call, isReceipt(call) ? readableReceipt(answer) : answer]];
      }),
    );
  };
  const asked = voters.slice(0, most).map((voter) => ask(voter, calls));
  // Heights come at once. They must not end the wait for receipts, which take longer.
  const afterReceipt = async (vote: Promise<Vote>): Promise<Vote> => {
    await Promise.all([vote, receipts.length > 0 && firstWithin(asked, patienceMs)]);
    return vote;
  };
  const besides = heights.length === 0 ? [] : voters.slice(most).map((voter) => afterReceipt(ask(voter, heights)));
  const votes = await votesOf([...asked, ...besides], patienceMs);
  const agreed = receipts.every((call) => {
    const answers = votes.flatMap((vote) => vote.get(call) ?? []);
    return answers.length === most && areSameReceipts(answers);
  });
  if (agreed) return votes;
  const more = voters.slice(most).map((voter) => ask(voter, receipts));
  // Whoever has voted waits for the others already: the empty vote begins their patience.
  const voted: Promise<Vote>[] = votes.length > 0 ? [Promise.resolve(new Map())] : [];
  return [...votes, ...(await votesOf([...more, ...voted], patienceMs))];
}

/** Resolves with the first that succeeds, when all have failed, and after `mostMs` at the latest. */
async function firstWithin(asked: readonly Promise<unknown>[], mostMs: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, mostMs);
  await Promise.race([late.promise, Promise.any(asked).catch(() => {})]);
  clearTimeout(timer);
}

/** A receipt that settlement can't read contradicts the others and is never the answer of all: that would stop the lane. */
function readableReceipt(answer: RpcAnswer): RpcAnswer {
  try {
    if (answer.ok) readReceipt(answer.result);
    return answer;
  } catch {
    return { ok: false, code: UNREADABLE, message: 'not a receipt', data: null };
  }
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
  const said = answers.filter((answer) => answer.ok || answer.code === UNREADABLE);
  const [first] = said;
  if (first === undefined) return answers[0] ?? disagreement();
  if (said.length === 1 || areSameReceipts(said)) return first;
  return majorityOf(said, (answer) => (answer.ok ? receiptKey(answer.result) : 'unreadable'))?.[0] ?? disagreement();
}

function least(answers: readonly RpcAnswer[], quantityOf: (result: unknown) => unknown): RpcAnswer {
  const told = answers.flatMap((answer) => {
    const value = answer.ok ? readQuantity(quantityOf(answer.result)) : undefined;
    return value === undefined ? [] : [{ answer, value }];
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

type ReceiptFacts = readonly [
  blockHash: Told,
  transactionHash: Told,
  from: Told,
  quantities: readonly Told[],
  logs: readonly (readonly (Told | readonly Told[])[])[],
];
type Told = string | null;

/**
 * Every field from which something is concluded: the block, the logs, the status, and what the relayer paid. Undefined if not mined.
 * Anything but a string counts as absent: one node must not stop a network with a value that takes long or fails to be compared.
 */
function factsOf(result: unknown): ReceiptFacts | undefined {
  const blockHash = fieldOf(result, 'blockHash');
  if (blockHash === null || blockHash === undefined) return undefined;
  const transactionHash = told(fieldOf(result, 'transactionHash'));
  const logs = listOf(fieldOf(result, 'logs')).map((log) => [
    told(fieldOf(log, 'transactionHash') ?? transactionHash),
    told(fieldOf(log, 'address')),
    listOf(fieldOf(log, 'topics')).map(told),
    told(fieldOf(log, 'data')),
    told(fieldOf(log, 'logIndex')),
  ]);
  const quantities = ['status', 'blockNumber', 'gasUsed', 'effectiveGasPrice', 'l1Fee'].map((name) =>
    told(fieldOf(result, name)),
  );
  return [told(blockHash), transactionHash, told(fieldOf(result, 'from')), quantities, logs];
}

const told = (value: unknown): Told => (typeof value === 'string' ? value : null);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function receiptKey(result: unknown): string {
  const facts = factsOf(result);
  if (facts === undefined) return 'none';
  const [blockHash, transactionHash, from, quantities, logs] = facts;
  return JSON.stringify([blockHash, transactionHash, from, quantities.map(quantityKey), logs]).toLowerCase();
}

/** Equal for 0x1 and 0x01, and for a field that is null or absent. */
function quantityKey(value: Told): string {
  return readQuantity(value)?.toString() ?? JSON.stringify(value);
}

const disagreement = (): RpcAnswer => ({
  ok: false,
  code: DISAGREEMENT,
  message: 'the endpoints contradict each other',
  data: null,
});
