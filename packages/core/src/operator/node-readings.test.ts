import { expect, test } from 'vitest';
import { judgeNode, networkHeads, type StoredNodeReading } from './node-readings.ts';

const NOW = 1_794_744_000_000;
const reading = (endpoint: number, change: Partial<StoredNodeReading> = {}): StoredNodeReading => ({
  endpoint,
  answered: true,
  otherChain: false,
  tookMs: 40,
  head: 1_000n,
  headMs: NOW,
  finalHead: 936n,
  finalMs: NOW - 768_000,
  answeredAtMs: NOW,
  readAtMs: NOW,
  ...change,
});
const states = (all: readonly StoredNodeReading[]) => all.map((one) => judgeNode(one, all));

test('a node is fine, behind, silent or of another chain', () => {
  expect(
    states([
      reading(1),
      reading(2),
      reading(3, { head: 990n, headMs: NOW - 61_000 }),
      reading(4, { answered: false }),
      reading(5, { answered: false, otherChain: true }),
      reading(6, { head: 999n, headMs: NOW - 12_000 }),
    ]),
  ).toEqual(['fine', 'fine', 'behind', 'silent', 'other_chain', 'fine']);
});

test('slots have no time: a node that is more than a minute of slots lower is behind', () => {
  const slot = (endpoint: number, head: bigint) => reading(endpoint, { head, headMs: null, finalMs: null });
  expect(states([slot(1, 1_000n), slot(2, 850n), slot(3, 1_000n), slot(4, 849n)])).toEqual([
    'fine',
    'fine',
    'fine',
    'behind',
  ]);
});

test('one node that claims to be far ahead makes no other look behind, and is not the head of the network', () => {
  const all = [reading(1), reading(2), reading(3, { head: 9_000_000n, headMs: NOW + 86_400_000 })];
  expect(states(all)).toEqual(['fine', 'fine', 'fine']);
  expect(networkHeads(all).head).toBe(1_000n);
});

test('the finality of a network is the distance to the lowest final block of the nodes that are not behind', () => {
  const all = [
    reading(1, { finalHead: 930n, finalMs: NOW - 840_000 }),
    reading(2),
    reading(3, { head: 500n, headMs: NOW - 6_000_000, finalHead: 400n, finalMs: NOW - 7_000_000 }),
    reading(4, { answered: false, finalHead: 1n }),
  ];
  expect(networkHeads(all)).toEqual({ head: 1_000n, finality: { blocks: 70n, seconds: 840 } });
});

test('a network whose nodes are silent has no head, though the last answers are stored', () => {
  const all = [reading(1, { answered: false }), reading(2, { answered: false })];
  expect(networkHeads(all)).toEqual({ head: null, finality: null });
});
