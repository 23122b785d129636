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
    const weighty = calls.some((call) => weightOf(call) !== undefined);
    const voters = weighty ? (await pool.healthyEndpoints()).slice(0, MAX_VOTERS) : [];
    if (voters.length < 2) return pool.read(calls);
    const voted = calls.filter((call) => weightOf(call) !== undefined);
    const others = calls.filter((call) => weightOf(call) === undefined);
    const [votes, rest] = await Promise.all([
      votesOf(
        voters.map((voter) => voter(voted)),
        pool.patienceMs,
      ),
      others.length === 0 ? [] : pool.read(others),
    ]);
    if (votes.length === 0) return pool.read(calls);
    return calls.map((call) => {
      const weigh = weightOf(call);
      if (weigh === undefined) return rest[others.indexOf(call)] as RpcAnswer;
      const index = voted.indexOf(call);
      const agreed = weigh(votes.flatMap((answers) => answers[index] ?? []));
      if (!agreed.ok && agreed.code === DISAGREEMENT) onDisagreement();
      return agreed;
    });
  };
}

type Weigh = (answers: readonly RpcAnswer[]) => RpcAnswer;

function weightOf({ method, params }: RpcCall): Weigh | undefined {
  if (method === 'eth_getTransactionReceipt') return (answers) => most(answers, receiptKey);
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
function most(answers: readonly RpcAnswer[], keyOf: (result: unknown) => string): RpcAnswer {
  const said = answers.filter((answer) => answer.ok);
  if (said.length === 0) return answers[0] ?? disagreement();
  return majorityOf(said, (answer) => keyOf(answer.result))?.[0] ?? disagreement();
}

function least(answers: readonly RpcAnswer[], quantityOf: (result: unknown) => unknown): RpcAnswer {
  const told = answers.flatMap((answer) => {
    const quantity = answer.ok ? quantityOf(answer.result) : undefined;
    return typeof quantity === 'string' && /^0x[0-9a-f]+$/i.test(quantity) ? [{ answer, value: BigInt(quantity) }] : [];
  });
  const lowest = told.toSorted((one, other) => (one.value < other.value ? -1 : 1))[0];
  return lowest?.answer ?? answers[0] ?? disagreement();
}

/** Every field from which something is concluded: the block, the logs, the status, and what the relayer paid. */
function receiptKey(result: unknown): string {
  if (result === null || result === undefined) return 'none';
  const receipt = result as Record<string, unknown>;
  const { blockHash, logs } = receipt;
  if (blockHash === null || blockHash === undefined) return 'none';
  const plain = (Array.isArray(logs) ? logs : []).map((log: Record<string, unknown>) => [
    log['address'],
    log['topics'],
    log['data'],
    log['logIndex'],
  ]);
  const quantities = ['status', 'blockNumber', 'gasUsed', 'effectiveGasPrice', 'l1Fee'].map((name) =>
    quantityKey(receipt[name]),
  );
  return JSON.stringify([blockHash, receipt['transactionHash'], quantities, plain]).toLowerCase();
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
