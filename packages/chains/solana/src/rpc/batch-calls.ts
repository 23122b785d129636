// Reads of the same moment share one request to a node, and equal ones one question. Simulations share requests of their own,
// small ones, because each takes a node some time. A call that is by itself goes as a single call, at most `WAIT_MS` later.
// Sending goes alone: a lost answer leaves it in doubt.
import { RPC_BODY, readAnswer } from './answer-shapes.ts';
import { answerFor, type MergedCall, mergeReads, type SolanaCall } from './merge-reads.ts';
import type { PostText } from './post-call.ts';
import { type AskNode, answerOf, callBody, NodeRefusedRequest, parseAnswer, type SolanaAnswer } from './rpc-answer.ts';

const WAIT_MS = 2;
/** Providers refuse larger batches. */
const MOST_READS = 50;
const MOST_SIMULATIONS = 8;
/** After a node refused a batch, calls go alone for so long. */
const ALONE_MS = 600_000;
const SEND = 'sendTransaction';
const SIMULATE = 'simulateTransaction';

type Waiting = SolanaCall & PromiseWithResolvers<SolanaAnswer>;

/** `nowMs` only tells how long ago a node refused a batch. */
export function batchCalls(post: PostText, nowMs: () => number = Date.now): AskNode {
  let aloneUntilMs = 0;

  const askAlone = async ({ method, params }: SolanaCall): Promise<SolanaAnswer> => {
    const text = await post(callBody(1, method, params), method);
    return answerOf(readAnswer(method, RPC_BODY, parseAnswer(text, method)));
  };
  const settleAlone = (one: Waiting) => askAlone(one).then(one.resolve, one.reject);

  const settleMerged = async (merged: MergedCall<Waiting>, ask: () => SolanaAnswer | Promise<SolanaAnswer>) => {
    const { askers } = merged;
    try {
      const answer = await ask();
      for (const one of askers) one.resolve(answerFor(one, merged, answer));
    } catch (problem) {
      for (const one of askers) one.reject(problem);
    }
  };

  const askTogether = async (calls: readonly MergedCall<Waiting>[]): Promise<void> => {
    const bodies = calls.map(({ method, params }, index) => callBody(index + 1, method, params));
    const name = `batch of ${calls.length}`;
    const waitedFor = calls.flatMap(({ askers }) => askers);
    let bodiesById: ReadonlyMap<bigint, unknown>;
    try {
      bodiesById = byId(parseAnswer(await post(`[${bodies.join(',')}]`, name), name), name);
    } catch (problem) {
      if (!(problem instanceof NodeRefusedRequest)) {
        for (const one of waitedFor) one.reject(problem);
        return;
      }
      aloneUntilMs = nowMs() + ALONE_MS;
      await Promise.all(waitedFor.map(settleAlone));
      return;
    }
    for (const [index, merged] of calls.entries())
      void settleMerged(merged, () => answerOf(readAnswer(merged.method, RPC_BODY, bodiesById.get(BigInt(index + 1)))));
  };

  const askMerged = (calls: readonly MergedCall<Waiting>[]) => {
    const [first, ...others] = calls;
    if (first === undefined) return;
    void (others.length === 0 ? settleMerged(first, () => askAlone(first)) : askTogether(calls));
  };
  const reads = queueOf(MOST_READS, askMerged);
  const simulations = queueOf(MOST_SIMULATIONS, askMerged);

  return (method, params = []) => {
    if (method === SEND || aloneUntilMs > nowMs()) return askAlone({ method, params });
    return (method === SIMULATE ? simulations : reads)({ method, params });
  };
}

/** Collects calls until there are `most`, or until `WAIT_MS` after the first. */
function queueOf(most: number, ask: (calls: readonly MergedCall<Waiting>[]) => void) {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    const sent = waiting;
    waiting = [];
    ask(mergeReads(sent));
  };
  return (call: SolanaCall): Promise<SolanaAnswer> => {
    const one = { ...call, ...Promise.withResolvers<SolanaAnswer>() };
    waiting.push(one);
    if (waiting.length >= most) send();
    else timer ??= setTimeout(send, WAIT_MS);
    return one.promise;
  };
}

/** Answers may come in any order. A node that answers with one body, or without our ids, does not take batches. */
function byId(told: unknown, name: string): ReadonlyMap<bigint, unknown> {
  if (!Array.isArray(told)) throw new NodeRefusedRequest(`${name}: the node answered with one body`);
  const bodies = new Map<bigint, unknown>();
  for (const body of told as readonly unknown[]) {
    const id: unknown = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
    if (typeof id !== 'bigint' || bodies.has(id))
      throw new NodeRefusedRequest(`${name}: an answer has no id of its own`);
    bodies.set(id, body);
  }
  return bodies;
}
