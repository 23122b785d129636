// Reads of the same moment share one request to a node. A request that is alone goes as a single call, without waiting longer
// than `WAIT_MS`. Sending and simulating go alone: their answers take long, and a lost answer leaves a send in doubt.
import { RPC_BODY, readAnswer } from './answer-shapes.ts';
import type { PostText } from './post-call.ts';
import { type AskNode, answerOf, callBody, NodeRefusedRequest, parseAnswer, type SolanaAnswer } from './rpc-answer.ts';

const WAIT_MS = 2;
/** Providers refuse larger batches. */
const MOST_CALLS = 50;
/** After a node refused a batch, calls go alone for so long. */
const ALONE_MS = 600_000;
const ALONE: ReadonlySet<string> = new Set(['sendTransaction', 'simulateTransaction']);

type Call = { readonly method: string; readonly params: readonly unknown[] };
type Waiting = Call & PromiseWithResolvers<SolanaAnswer>;

/** `nowMs` only tells how long ago a node refused a batch. */
export function batchCalls(post: PostText, nowMs: () => number = Date.now): AskNode {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let aloneUntilMs = 0;

  const askAlone = async ({ method, params }: Call): Promise<SolanaAnswer> => {
    const text = await post(callBody(1, method, params), method);
    return answerOf(readAnswer(method, RPC_BODY, parseAnswer(text, method)));
  };
  const settleAlone = (one: Waiting) => askAlone(one).then(one.resolve, one.reject);

  const askTogether = async (calls: readonly Waiting[]): Promise<void> => {
    const bodies = calls.map(({ method, params }, index) => callBody(index + 1, method, params));
    const name = `batch of ${calls.length}`;
    let bodiesById: ReadonlyMap<bigint, unknown>;
    try {
      bodiesById = byId(parseAnswer(await post(`[${bodies.join(',')}]`, name), name), name);
    } catch (problem) {
      if (!(problem instanceof NodeRefusedRequest)) {
        for (const one of calls) one.reject(problem);
        return;
      }
      aloneUntilMs = nowMs() + ALONE_MS;
      await Promise.all(calls.map(settleAlone));
      return;
    }
    for (const [index, { method, resolve, reject }] of calls.entries()) {
      try {
        resolve(answerOf(readAnswer(method, RPC_BODY, bodiesById.get(BigInt(index + 1)))));
      } catch (problem) {
        reject(problem);
      }
    }
  };

  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    const sent = waiting;
    waiting = [];
    const [first, ...others] = sent;
    if (first === undefined) return;
    void (others.length === 0 ? settleAlone(first) : askTogether(sent));
  };

  return (method, params = []) => {
    if (ALONE.has(method) || aloneUntilMs > nowMs()) return askAlone({ method, params });
    const one = { method, params, ...Promise.withResolvers<SolanaAnswer>() };
    waiting.push(one);
    if (waiting.length >= MOST_CALLS) send();
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
