// Coalesces the RPC calls of concurrent requests: calls made within `waitMs` share one round trip.
import type { JsonRpc, RpcAnswer, RpcCall } from './json-rpc.ts';

export type CoalesceOptions = {
  readonly waitMs: number;
  readonly maxCalls: number;
};

type Waiting = {
  readonly calls: readonly RpcCall[];
  readonly resolve: (answers: readonly RpcAnswer[]) => void;
  readonly reject: (problem: unknown) => void;
};

export function coalesceRpcCalls(rpc: JsonRpc, { waitMs, maxCalls }: CoalesceOptions): JsonRpc {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    const sent = waiting;
    waiting = [];
    void answer(rpc, sent);
  };

  return (calls) =>
    new Promise((resolve, reject) => {
      waiting.push({ calls, resolve, reject });
      if (waiting.reduce((total, entry) => total + entry.calls.length, 0) >= maxCalls) send();
      else timer ??= setTimeout(send, waitMs);
    });
}

async function answer(rpc: JsonRpc, sent: readonly Waiting[]): Promise<void> {
  try {
    const answers = await rpc(sent.flatMap(({ calls }) => calls));
    let start = 0;
    for (const { calls, resolve } of sent) {
      resolve(answers.slice(start, start + calls.length));
      start += calls.length;
    }
  } catch (problem) {
    for (const { reject } of sent) reject(problem);
  }
}
