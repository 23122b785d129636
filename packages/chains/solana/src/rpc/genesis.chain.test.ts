import { parseNetwork } from '@svc-pay/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiteChain, startLiteChain } from '../testing/lite/start-lite-chain.ts';
import { foreignNodes } from './genesis.ts';
import { openNode } from './solana-node.ts';

let chain: LiteChain;
beforeAll(async () => {
  chain = await startLiteChain();
});
afterAll(() => chain.stop());

test('a node of another cluster is found by its first block', async () => {
  const node = openNode(chain.rpcUrl);
  const devnet = parseNetwork('solana:devnet')!;
  expect(await foreignNodes([node], devnet)).toEqual([1]);
  expect(await foreignNodes([node], devnet, await node.genesisHash())).toEqual([]);
  const second = await chain.openNode();
  second.faults.lie = ({ method }) =>
    method === 'getGenesisHash' ? '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' : undefined;
  expect(await foreignNodes([node, openNode(second.rpcUrl)], devnet, await node.genesisHash())).toEqual([2]);
  expect(await foreignNodes([openNode(second.rpcUrl)], parseNetwork('solana:mainnet')!)).toEqual([]);
});
