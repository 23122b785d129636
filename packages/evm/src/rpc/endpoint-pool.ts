// The endpoints of one network. Reads go to one in good standing: an endpoint that does not answer, keeps us waiting, or
// is far behind the others is left aside for a while, longer each time, and asked again only when no other is left. One
// that serves another chain is not asked at all.
import { firstAnswer } from './first-answer.ts';
import { postCalls } from './post-calls.ts';
import { type Look, lagging, lookAt } from './probe-endpoint.ts';
import { type JsonRpc, RpcUnavailable } from './rpc-call.ts';

export type EndpointTrouble = 'no answer' | 'slow' | 'behind' | 'another chain' | 'back';

export type PoolOptions = {
  /** Preferred in this order. */
  readonly urls: readonly [string, ...string[]];
  readonly timeoutMs: number;
  /** When given, endpoints are looked at now and then: the chain that they serve, and how far they are. */
  readonly chainId?: number;
  /** Told by place, counted from 1: an address may carry a provider's key. */
  readonly onChange?: (place: number, trouble: EndpointTrouble) => void;
  /** The way to an endpoint; HTTP unless told. It throws when not every call was answered. */
  readonly post?: typeof postCalls;
};

export type EndpointPool = {
  readonly read: JsonRpc;
  /** Each on its own, whatever its standing. */
  readonly endpoints: readonly [JsonRpc, ...JsonRpc[]];
  /** Those in good standing, in their order; all that serve this chain when there is none. */
  readonly inGoodStanding: () => Promise<readonly JsonRpc[]>;
  readonly patienceMs: number;
};

type Standing = { asideUntilMs: number; strikes: number; foreign: boolean };

const FIRST_ASIDE_MS = 5_000;
const LONGEST_ASIDE_MS = 60_000;
const MAX_STRIKES = 10;
const LOOK_EVERY_MS = 10_000;
const PATIENCE_MS = 2_000;

export function createEndpointPool(options: PoolOptions): EndpointPool {
  const { urls, timeoutMs, chainId, onChange = () => {}, post = postCalls } = options;
  const standings: Standing[] = urls.map(() => ({ asideUntilMs: 0, strikes: 0, foreign: false }));
  const nowMs = () => performance.now();
  const patienceMs = Math.min(PATIENCE_MS, Math.ceil(timeoutMs / 2));
  const standingOf = (place: number): Standing => {
    const standing = standings[place];
    if (standing === undefined) throw new RangeError(`there is no endpoint ${place + 1}`);
    return standing;
  };
  const strike = (place: number, trouble: EndpointTrouble) => {
    const standing = standingOf(place);
    if (standing.asideUntilMs <= nowMs()) onChange(place + 1, trouble);
    standing.strikes = Math.min(standing.strikes + 1, MAX_STRIKES);
    standing.asideUntilMs = nowMs() + Math.min(FIRST_ASIDE_MS * 2 ** (standing.strikes - 1), LONGEST_ASIDE_MS);
  };
  const forgive = (place: number) => {
    const standing = standingOf(place);
    if (standing.strikes > 0) onChange(place + 1, 'back');
    standing.strikes = 0;
    standing.asideUntilMs = 0;
  };
  const isGood = (place: number) => standingOf(place).asideUntilMs <= nowMs();
  const ask = (place: number): JsonRpc => {
    const url = urls[place] ?? '';
    return async (calls) => {
      if (calls.length === 0) return [];
      const startedMs = nowMs();
      try {
        const answers = await post(url, calls, timeoutMs);
        if (nowMs() - startedMs > patienceMs) strike(place, 'slow');
        else if (standingOf(place).strikes > 0 && isGood(place)) forgive(place);
        return answers;
      } catch (problem) {
        strike(place, 'no answer');
        throw new RpcUnavailable(`endpoint ${place + 1}: ${problem instanceof Error ? problem.name : 'no answer'}`);
      }
    };
  };
  const asks = urls.map((_, place) => ask(place));
  const places = () => asks.map((_, place) => place).filter((place) => !standingOf(place).foreign);

  const judge = (looks: readonly Look[]) => {
    const behind = lagging(looks);
    for (const [place, look] of looks.entries()) {
      const standing = standingOf(place);
      if (look.chainId !== undefined) {
        const foreign = look.chainId !== BigInt(chainId ?? 0);
        if (foreign && !standing.foreign) onChange(place + 1, 'another chain');
        standing.foreign = foreign;
      }
      if (behind.has(place)) strike(place, 'behind');
    }
  };
  let looked: Promise<void> | undefined;
  let lookedAtMs = 0;
  const look = async () => {
    if (chainId === undefined) return;
    const first = looked === undefined;
    if (first || nowMs() - lookedAtMs >= LOOK_EVERY_MS) {
      lookedAtMs = nowMs();
      looked = Promise.all(asks.map(lookAt)).then(judge);
    }
    // Only the first one is waited for, and not for those that keep us waiting.
    if (first) await Promise.race([looked, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
  };

  const [firstAsk, ...otherAsks] = asks;
  if (firstAsk === undefined) throw new RangeError('a network has at least one endpoint');
  return {
    patienceMs,
    endpoints: [firstAsk, ...otherAsks],
    inGoodStanding: async () => {
      await look();
      const good = places().filter(isGood);
      return (good.length > 0 ? good : places()).map((place) => asks[place] ?? firstAsk);
    },
    read: async (calls) => {
      if (calls.length === 0) return [];
      await look();
      const order = places().toSorted((one, other) => Number(!isGood(one)) - Number(!isGood(other)));
      if (order.length === 0) throw new RpcUnavailable('every RPC endpoint serves another chain');
      try {
        return await firstAnswer(
          order.map((place) => () => (asks[place] ?? firstAsk)(calls)),
          patienceMs,
          (index) => strike(order[index] ?? 0, 'slow'),
        );
      } catch (problem) {
        throw new RpcUnavailable('no RPC endpoint answered', { cause: problem });
      }
    },
  };
}
