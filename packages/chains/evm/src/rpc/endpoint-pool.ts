// The RPC endpoints of one network. Reads go to a healthy endpoint: one that does not answer, is slow, or is far behind
// the others is suspended, longer each time, and meanwhile asked only when no other is left. An endpoint of another
// chain is never asked.
import { firstAnswer } from './first-answer.ts';
import { postCalls } from './post-calls.ts';
import { type EndpointProbe, lagging, probeEndpoint } from './probe-endpoint.ts';
import { type JsonRpc, RpcUnavailable } from './rpc-call.ts';

export type EndpointTrouble = 'no answer' | 'slow' | 'behind' | 'another chain' | 'back';

export type PoolOptions = {
  /** In order of preference. */
  readonly urls: readonly [string, ...string[]];
  readonly timeoutMs: number;
  /** If given, endpoints are probed periodically: the chain that they serve, and their latest block. */
  readonly chainId?: number;
  /** Reports an endpoint by its position, counted from 1: a URL may contain a provider's key. */
  readonly onChange?: (endpointIndex: number, trouble: EndpointTrouble) => void;
  /** Transport to an endpoint; HTTP by default. Throws unless every call was answered. */
  readonly post?: typeof postCalls;
  /** An endpoint that takes longer is suspended as slow; 2 seconds by default. */
  readonly patienceMs?: number;
};

export type EndpointPool = {
  readonly read: JsonRpc;
  /** Every endpoint by itself, healthy or not. */
  readonly endpoints: readonly [JsonRpc, ...JsonRpc[]];
  /** Healthy endpoints in order of preference; if there is none, all that serve this chain. */
  readonly healthyEndpoints: () => Promise<readonly JsonRpc[]>;
  readonly patienceMs: number;
};

type EndpointHealth = { asideUntilMs: number; strikes: number; foreign: boolean };

const FIRST_ASIDE_MS = 5_000;
const LONGEST_ASIDE_MS = 60_000;
const MAX_STRIKES = 10;
const LOOK_EVERY_MS = 10_000;
const PATIENCE_MS = 2_000;

export function createEndpointPool(options: PoolOptions): EndpointPool {
  const { urls, timeoutMs, chainId, onChange = () => {}, post = postCalls } = options;
  const healths: EndpointHealth[] = urls.map(() => ({ asideUntilMs: 0, strikes: 0, foreign: false }));
  const nowMs = () => performance.now();
  const patienceMs = options.patienceMs ?? Math.min(PATIENCE_MS, Math.ceil(timeoutMs / 2));
  const healthOf = (endpointIndex: number): EndpointHealth => {
    const health = healths[endpointIndex];
    if (health === undefined) throw new RangeError(`there is no endpoint ${endpointIndex + 1}`);
    return health;
  };
  const strike = (endpointIndex: number, trouble: EndpointTrouble) => {
    const health = healthOf(endpointIndex);
    if (health.asideUntilMs <= nowMs()) onChange(endpointIndex + 1, trouble);
    health.strikes = Math.min(health.strikes + 1, MAX_STRIKES);
    health.asideUntilMs = nowMs() + Math.min(FIRST_ASIDE_MS * 2 ** (health.strikes - 1), LONGEST_ASIDE_MS);
  };
  const forgive = (endpointIndex: number) => {
    const health = healthOf(endpointIndex);
    if (health.strikes > 0) onChange(endpointIndex + 1, 'back');
    health.strikes = 0;
    health.asideUntilMs = 0;
  };
  const isGood = (endpointIndex: number) => healthOf(endpointIndex).asideUntilMs <= nowMs();
  const ask = (endpointIndex: number): JsonRpc => {
    const url = urls[endpointIndex] ?? '';
    return async (calls) => {
      if (calls.length === 0) return [];
      const startedMs = nowMs();
      try {
        const answers = await post(url, calls, timeoutMs);
        if (nowMs() - startedMs > patienceMs) strike(endpointIndex, 'slow');
        else if (healthOf(endpointIndex).strikes > 0 && isGood(endpointIndex)) forgive(endpointIndex);
        return answers;
      } catch (problem) {
        strike(endpointIndex, 'no answer');
        throw new RpcUnavailable(`endpoint ${endpointIndex + 1}: ${reasonOf(problem)}`);
      }
    };
  };
  const asks = urls.map((_, endpointIndex) => ask(endpointIndex));
  const endpointIndexes = () =>
    asks.map((_, endpointIndex) => endpointIndex).filter((endpointIndex) => !healthOf(endpointIndex).foreign);

  const judge = (probes: readonly EndpointProbe[]) => {
    const behind = lagging(probes);
    for (const [endpointIndex, probe] of probes.entries()) {
      const health = healthOf(endpointIndex);
      if (probe.chainId !== undefined) {
        const foreign = probe.chainId !== BigInt(chainId ?? 0);
        if (foreign && !health.foreign) onChange(endpointIndex + 1, 'another chain');
        health.foreign = foreign;
      }
      if (behind.has(endpointIndex)) strike(endpointIndex, 'behind');
    }
  };
  let looked: Promise<void> | undefined;
  let lookedAtMs = 0;
  const probe = async () => {
    if (chainId === undefined) return;
    const first = looked === undefined;
    if (first || nowMs() - lookedAtMs >= LOOK_EVERY_MS) {
      lookedAtMs = nowMs();
      looked = Promise.all(asks.map(probeEndpoint)).then(judge);
    }
    // Only the first probe is waited for, and at most `patienceMs`.
    if (first) await Promise.race([looked, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
  };

  const [firstAsk, ...otherAsks] = asks;
  if (firstAsk === undefined) throw new RangeError('a network has at least one endpoint');
  return {
    patienceMs,
    endpoints: [firstAsk, ...otherAsks],
    healthyEndpoints: async () => {
      await probe();
      const good = endpointIndexes().filter(isGood);
      return (good.length > 0 ? good : endpointIndexes()).map((endpointIndex) => asks[endpointIndex] ?? firstAsk);
    },
    read: async (calls) => {
      if (calls.length === 0) return [];
      await probe();
      const order = endpointIndexes().toSorted((one, other) => Number(!isGood(one)) - Number(!isGood(other)));
      if (order.length === 0) throw new RpcUnavailable('every RPC endpoint serves another chain');
      try {
        return await firstAnswer(
          order.map((endpointIndex) => () => (asks[endpointIndex] ?? firstAsk)(calls)),
          patienceMs,
          (index) => strike(order[index] ?? 0, 'slow'),
        );
      } catch (problem) {
        throw new RpcUnavailable('no RPC endpoint answered', { cause: problem });
      }
    },
  };
}

/** A code or a name: a message may hold the URL. What answered, but not with answers, tells that itself. */
function reasonOf(problem: unknown): string {
  if (problem instanceof RpcUnavailable) return problem.message;
  if (!(problem instanceof Error)) return 'no answer';
  const { code, name }: NodeJS.ErrnoException = problem;
  return code ?? name;
}
