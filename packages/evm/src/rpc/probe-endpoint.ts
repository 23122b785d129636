// What an endpoint says about itself. Heads are compared by the time of their blocks, which means the same on every chain.
import type { JsonRpc } from './rpc-call.ts';

export type Look = {
  readonly answered: boolean;
  /** Undefined when it did not tell. */
  readonly chainId?: bigint;
  /** Time of its latest block. */
  readonly headSeconds?: bigint;
};

/** An endpoint further behind the best one than this is not asked while there are others. */
const MAX_LAG_SECONDS = 60n;

export async function lookAt(endpoint: JsonRpc): Promise<Look> {
  try {
    const [chain, head] = await endpoint([
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ]);
    const chainId = chain?.ok === true ? quantity(chain.result) : undefined;
    const block = head?.ok === true ? (head.result as { timestamp?: unknown } | null) : null;
    const headSeconds = quantity(block?.timestamp);
    return {
      answered: true,
      ...(chainId !== undefined && { chainId }),
      ...(headSeconds !== undefined && { headSeconds }),
    };
  } catch {
    return { answered: false };
  }
}

/**
 * Places of those far behind the best head that another one confirms: a single endpoint that claims to be ahead of all
 * others moves nobody, unless there are only two, where the one behind loses no more than its preference.
 */
export function lagging(looks: readonly Look[]): ReadonlySet<number> {
  const heads = looks.flatMap(({ headSeconds }) => (headSeconds === undefined ? [] : [headSeconds]));
  const sorted = heads.toSorted((one, other) => (one < other ? 1 : -1));
  const best = sorted.length > 2 ? sorted[1] : sorted[0];
  if (best === undefined) return new Set();
  return new Set(
    looks.flatMap(({ headSeconds }, place) =>
      headSeconds !== undefined && best - headSeconds > MAX_LAG_SECONDS ? [place] : [],
    ),
  );
}

function quantity(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}
