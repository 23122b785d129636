import { TOKENS } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { domainSeparator } from '@svc-pay/protocol/hash';
import { describe, expect, test } from 'vitest';
import type { JsonRpc, RpcCall } from '../rpc/json-rpc.ts';
import { DEFAULT_TIP_BOUNDS } from '../send/transaction-fees.ts';
import { evmFitness } from './fitness.ts';

const CHAIN_ID = 84_532;
const NETWORK = evmNetwork(CHAIN_ID);
const VERSION = '1.3.0';
const tokens = TOKENS.filter(({ network }) => network === NETWORK);
const word = (value: bigint) => value.toString(16).padStart(64, '0');

/** A node that reports this hourly cap for every token. */
function nodeOf(cap: bigint): JsonRpc {
  const called = (to: string, data: string): string => {
    if (data === '0x54fd4d50') return word(32n) + word(5n) + Buffer.from(VERSION).toString('hex').padEnd(64, '0');
    const token = tokens.find(({ address }) => address.toLowerCase() === to.toLowerCase());
    if (token?.domain !== undefined) {
      const domain = { ...token.domain, chainId: CHAIN_ID, verifyingContract: token.address as `0x${string}` };
      return Buffer.from(domainSeparator(domain)).toString('hex');
    }
    // `paused()` takes no argument; `tokenConfig(address)` takes one.
    return data.length === 10 ? word(0n) : word(1n) + word(200_000n) + word(cap) + word(cap);
  };
  const answer = ({ method, params }: RpcCall): unknown => {
    if (method !== 'eth_call') return method === 'eth_getBlockByNumber' ? { baseFeePerGas: '0x1' } : '0x1';
    const { to, data } = params[0] as { to: string; data: string };
    return `0x${called(to, data)}`;
  };
  return async (calls) => calls.map((call) => ({ ok: true, result: answer(call) }));
}

/** The caps that the health watcher records, minute by minute, with these nodes. */
async function capsAfter(minutes: readonly (readonly JsonRpc[])[]): Promise<readonly (bigint | undefined)[]> {
  let [nowMs, voters] = [0, minutes[0] ?? []];
  const rpc: JsonRpc = (calls) => (voters[0] ?? nodeOf(0n))(calls);
  const open = {
    network: NETWORK,
    mode: 'test',
    processor: `0x${'99'.repeat(20)}`,
    processorVersion: VERSION,
    rpc,
    endpoints: [rpc],
    voters: async () => voters,
    feeBounds: { ...DEFAULT_TIP_BOUNDS, maxFeeWei: 1_000_000_000_000n },
    gasCoin: undefined,
  } as const;
  const parts = { clock: { nowMs: () => nowMs }, log: () => {} };
  const read = evmFitness(open, 10n, parts);
  let caps: readonly (bigint | undefined)[] = [];
  for (const nodes of minutes) {
    voters = nodes;
    caps = [...new Set((await read([])).caps.map(({ capAtomic }) => capAtomic))];
    nowMs += 60_000;
  }
  return caps;
}

describe('the hourly cap of a token', () => {
  const [high, low] = [nodeOf(1_000_000n), nodeOf(1n)];

  test('is that of the only node, or of two', async () => {
    expect(await capsAfter([[high]])).toEqual([1_000_000n]);
    expect(await capsAfter([[high], [low, high, low]])).toEqual([1n]);
    expect(await capsAfter([[low], [high, high]])).toEqual([1_000_000n]);
  });

  test('does not change by the word of one node that another one contradicts', async () => {
    expect(await capsAfter([[high], [low, high]])).toEqual([1_000_000n]);
    expect(await capsAfter([[high], [low, high, high]])).toEqual([1_000_000n]);
    expect(await capsAfter([[low], [high, low]])).toEqual([1n]);
  });

  test('is unknown until two nodes say the same', async () => {
    expect(await capsAfter([[low, high]])).toEqual([]);
  });
});
