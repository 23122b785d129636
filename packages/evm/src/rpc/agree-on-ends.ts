// What ends payments is not taken from one endpoint alone. A receipt counts when two endpoints tell the same; of finality
// the most cautious word counts. An endpoint that does not answer has no vote, so with one left its word stands; where two
// contradict each other the call is answered with a refusal, and nobody concludes anything.
import type { EndpointPool } from './endpoint-pool.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from './rpc-call.ts';
import { votesOf } from './votes-of.ts';

/** Of the answer that endpoints could not agree on. */
export const DISAGREEMENT = -32_099;
const MAX_VOTERS = 3;

export function agreeOnEnds(pool: EndpointPool, onDisagreement: () => void = () => {}): JsonRpc {
  return async (calls) => {
    const weighty = calls.some((call) => weightOf(call) !== undefined);
    const voters = weighty ? (await pool.inGoodStanding()).slice(0, MAX_VOTERS) : [];
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
  return undefined;
}

/** What at least two say, and more than say anything else. */
function most(answers: readonly RpcAnswer[], keyOf: (result: unknown) => string): RpcAnswer {
  const said = answers.filter((answer) => answer.ok);
  const [only] = said;
  if (only === undefined || said.length === 1) return only ?? answers[0] ?? disagreement();
  const groups = [...Map.groupBy(said, (answer) => keyOf(answer.result)).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  const [largest = [], second = []] = groups;
  return largest.length >= 2 && largest.length > second.length ? (largest[0] ?? only) : disagreement();
}

function least(answers: readonly RpcAnswer[], quantityOf: (result: unknown) => unknown): RpcAnswer {
  const told = answers.flatMap((answer) => {
    const quantity = answer.ok ? quantityOf(answer.result) : undefined;
    return typeof quantity === 'string' && /^0x[0-9a-f]+$/i.test(quantity) ? [{ answer, value: BigInt(quantity) }] : [];
  });
  const lowest = told.toSorted((one, other) => (one.value < other.value ? -1 : 1))[0];
  return lowest?.answer ?? answers[0] ?? disagreement();
}

function receiptKey(result: unknown): string {
  if (result === null || result === undefined) return 'none';
  const { blockHash, status, logs } = result as { blockHash?: unknown; status?: unknown; logs?: unknown };
  if (blockHash === null || blockHash === undefined) return 'none';
  const plain = (Array.isArray(logs) ? logs : []).map((log: Record<string, unknown>) => [
    log['address'],
    log['topics'],
    log['data'],
    log['logIndex'],
  ]);
  return JSON.stringify([blockHash, status, plain]).toLowerCase();
}

const disagreement = (): RpcAnswer => ({
  ok: false,
  code: DISAGREEMENT,
  message: 'the endpoints contradict each other',
  data: null,
});
