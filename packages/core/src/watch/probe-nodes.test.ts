import { expect, test } from 'vitest';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { probeNodes } from './probe-nodes.ts';

test('each node is asked by itself: one that gives no answer, or serves another chain, spoils no reading of the others', async () => {
  const readings = await probeNodes(['good', 'silent', 'foreign'], async (node) => {
    if (node === 'silent') throw new ChainUnavailable('no answer');
    return node === 'foreign' ? 'other_chain' : { head: 10n, finalHead: 8n };
  });
  expect(readings).toMatchObject([
    { endpoint: 1, answered: true, head: 10n, finalHead: 8n, headSeconds: undefined },
    { endpoint: 2, answered: false, otherChain: false },
    { endpoint: 3, answered: false, otherChain: true },
  ]);
});

test('a mistake of ours is no silence of a node', async () => {
  await expect(probeNodes([1], () => Promise.reject(new TypeError('bug')))).rejects.toThrow(TypeError);
});
