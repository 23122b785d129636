// Probes an endpoint for its chain id and head. Heads are compared by block time, which means the same on every chain.
import type { JsonRpc } from './rpc-call.ts';

export type EndpointProbe = {
  readonly answered: boolean;
  /** Undefined when the endpoint did not return it. */
  readonly chainId?: bigint;
  /** Timestamp of the endpoint's latest block. */
  readonly headSeconds?: bigint;
};

/** An endpoint that lags the best one by more than this is not asked while there are others. */
const MAX_LAG_SECONDS = 60n;

export async function probeEndpoint(endpoint: JsonRpc): Promise<EndpointProbe> {
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
 * Indexes of endpoints far behind the best head that a second endpoint confirms: a single endpoint that claims to be
 * ahead suspends no other. With only two endpoints the higher head counts; the one behind then loses only its
 * preference.
 */
export function lagging(probes: readonly EndpointProbe[]): ReadonlySet<number> {
  const heads = probes.flatMap(({ headSeconds }) => (headSeconds === undefined ? [] : [headSeconds]));
  const sorted = heads.toSorted((one, other) => (one < other ? 1 : -1));
  const best = sorted.length > 2 ? sorted[1] : sorted[0];
  if (best === undefined) return new Set();
  return new Set(
    probes.flatMap(({ headSeconds }, endpointIndex) =>
      headSeconds !== undefined && best - headSeconds > MAX_LAG_SECONDS ? [endpointIndex] : [],
    ),
  );
}

function quantity(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}
