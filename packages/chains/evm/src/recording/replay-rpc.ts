// A local RPC node that answers from a recording: a double of the provider that was recorded. The same request gets its
// answers in the order in which they were recorded, and the last one from then on. Calls that were recorded in another request
// are answered one by one. What was never asked is refused and noted.
import { type Exchange, keyOfCalls, type RecordedAnswer, type RecordedCall, type Recording } from './recording.ts';
import {
  type Asked,
  type AskedCall,
  bodyOfAnswers,
  type ListenAddress,
  type RpcReply,
  type RpcServer,
  serveRpc,
} from './serve-rpc.ts';

export type RpcReplayer = RpcServer & {
  /** Calls that the recording does not have, as `method params`. */
  readonly missed: () => readonly string[];
};

export const NOT_RECORDED = -32_099;

export async function startRpcReplayer(recording: Recording, listen?: ListenAddress): Promise<RpcReplayer> {
  const requests = queuesOf(recording.exchanges.map((one) => [keyOfCalls(one.calls, one.batch), one] as const));
  const single = queuesOf(recording.exchanges.flatMap(answersByCall));
  const missed: string[] = [];
  const answerOf = ({ method, params }: RecordedCall): RecordedAnswer => {
    const answer = next(single, keyOfCalls([{ method, params }], false));
    if (answer !== undefined) return answer;
    missed.push(`${method} ${JSON.stringify(params)}`);
    return { error: { code: NOT_RECORDED, message: 'not in the recording' } };
  };
  const serve = async ({ calls, batch }: Asked): Promise<RpcReply> => {
    const exchange = next(requests, keyOfCalls(calls, batch));
    if (exchange === undefined) return answered(calls, batch, calls.map(answerOf));
    const { status, retryAfter, answers, order, body } = exchange;
    if (status === 0) return 'hang up';
    if (answers === undefined)
      return { status, retryAfter, text: typeof body === 'string' ? body : JSON.stringify(body) };
    return answered(calls, batch, answers, { status, retryAfter, order });
  };
  const server = await serveRpc(serve, listen);
  return { ...server, missed: () => missed };
}

type Queue<Item> = { readonly items: Item[]; at: number };

function queuesOf<Item>(pairs: readonly (readonly [string, Item])[]): Map<string, Queue<Item>> {
  const queues = new Map<string, Queue<Item>>();
  for (const [key, item] of pairs) {
    const queue = queues.get(key) ?? { items: [], at: 0 };
    queue.items.push(item);
    queues.set(key, queue);
  }
  return queues;
}

function next<Item>(queues: Map<string, Queue<Item>>, key: string): Item | undefined {
  const queue = queues.get(key);
  if (queue === undefined) return undefined;
  const item = queue.items[queue.at];
  queue.at = Math.min(queue.at + 1, queue.items.length - 1);
  return item;
}

function answersByCall({ calls, answers = [] }: Exchange): readonly (readonly [string, RecordedAnswer])[] {
  return calls.flatMap((call, index) => {
    const answer = answers[index];
    return answer === null || answer === undefined ? [] : [[keyOfCalls([call], false), answer] as const];
  });
}

type Form = {
  readonly status: number;
  readonly retryAfter?: string | undefined;
  readonly order?: readonly number[] | undefined;
};

function answered(
  calls: readonly AskedCall[],
  batch: boolean,
  answers: readonly (RecordedAnswer | null)[],
  { status, retryAfter, order }: Form = { status: 200 },
): RpcReply {
  const entries = (order ?? calls.map((_, index) => index)).flatMap((index) => {
    const answer = answers[index];
    return answer === null || answer === undefined ? [] : [{ id: calls[index]?.id, ...answer }];
  });
  return { status, retryAfter, text: bodyOfAnswers(batch, entries) };
}
