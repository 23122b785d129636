import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { RpcUnavailable } from '../rpc/rpc-call.ts';
import { createEndpointProbe } from './probe-endpoints.ts';

const block = (number: bigint, seconds: bigint) => ({
  number: `0x${number.toString(16)}`,
  hash: `0x${'ab'.repeat(32)}`,
  timestamp: `0x${seconds.toString(16)}`,
});
const endpoint =
  (chainId: string): JsonRpc =>
  async (calls) =>
    calls.map(({ method, params }) => {
      if (method === 'eth_chainId') return { ok: true, result: chainId };
      return { ok: true, result: params[0] === 'latest' ? block(1_000n, 5_000n) : block(990n, 4_980n) };
    });
const silent: JsonRpc = async () => {
  throw new RpcUnavailable('endpoint 2: TimeoutError');
};

test('the endpoints of a network are read each by itself, and one of another chain tells nothing', async () => {
  const probe = createEndpointProbe({
    network: 'eip155:8453' as NetworkId,
    endpoints: [endpoint('0x2105'), silent, endpoint('0x1')],
  });
  expect(await probe.readNodes()).toMatchObject([
    { endpoint: 1, answered: true, head: 1_000n, headSeconds: 5_000n, finalHead: 990n, finalSeconds: 4_980n },
    { endpoint: 2, answered: false, otherChain: false },
    { endpoint: 3, answered: false, otherChain: true },
  ]);
});
