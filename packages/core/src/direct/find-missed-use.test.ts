import { expect, test } from 'vitest';
import { RangeTooLarge } from '../reader/reader-chain.ts';
import { createSampleChain, createSampleNode, SAMPLE_TOKEN, type SampleNode } from '../testing/sample-reader-chain.ts';
import { findMissedUse } from './find-missed-use.ts';

const PASSED = { number: 9_900n };

/** A block of number n has the time 1,000 + n. The row was written a minute after the block at which it was seen unused. */
function world(usedAt: bigint, nodeCount = 2, unusedAtBlock = 500n) {
  const chain = createSampleChain(10_000);
  const used = chain.put(usedAt, 'token');
  chain.put(usedAt, 'token');
  chain.put(usedAt, 'processor');
  if (!('nonce' in used)) throw new Error('not a use');
  const nodes = Array.from({ length: nodeCount }, () => createSampleNode(chain));
  const row = {
    asset: SAMPLE_TOKEN.toUpperCase().replace('X', 'x'),
    payer: used.payer.toUpperCase().replace('X', 'x'),
    nonce: used.nonce,
    unusedAtBlock,
    claimedAtSeconds: 1_000n + unusedAtBlock + 60n,
  };
  return { used, nodes, find: () => findMissedUse(nodes, row, PASSED) };
}

test('a use between the look at the chain and the row is found, and nothing else is', async () => {
  for (const usedAt of [501n, 560n, 2_000n]) {
    const { find, used } = world(usedAt);
    expect(await find()).toEqual([used]);
  }
});

test('blocks long after the row was written are not read: the reader kept what it passed there', async () => {
  const { find, nodes } = world(9_000n);
  expect(await find()).toEqual([]);
  expect(nodes[0]?.logReads).toBeLessThan(8);
});

test('a bounded number of ranges is read, however small they are', async () => {
  const { find, nodes } = world(4_000n);
  for (const node of nodes) limitRange(node, 7n);
  expect(await find()).toEqual([]);
  expect(nodes[0]?.logReads).toBeLessThanOrEqual(50);
});

test('ranges that a node refuses are read in parts', async () => {
  const { find, used, nodes } = world(560n);
  for (const node of nodes) limitRange(node, 7n);
  expect(await find()).toEqual([used]);
});

test('nodes that contradict each other say nothing', async () => {
  const { find, nodes } = world(560n);
  const [first] = nodes;
  if (first !== undefined) first.bend = () => [];
  expect(await find()).toBeUndefined();
});

test('one node alone is believed when it shows the same twice', async () => {
  const { find, used, nodes } = world(560n, 1);
  expect(await find()).toEqual([used]);
  const [node] = nodes;
  let reads = 0;
  if (node !== undefined) node.bend = (logs) => ((reads += 1) % 2 === 0 ? logs : []);
  expect(await find()).toBeUndefined();
});

function limitRange(node: SampleNode, most: bigint): void {
  const { readLogs } = node;
  const limited: SampleNode['readLogs'] = async (range, sources) => {
    if (range.to - range.from >= most) throw new RangeTooLarge('too large');
    return readLogs(range, sources);
  };
  Object.assign(node, { readLogs: limited });
}
