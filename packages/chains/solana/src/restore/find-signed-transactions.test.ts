import { ChainUnavailable } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { MOST_SIGNATURES, type SolanaNode } from '../rpc/solana-node.ts';
import { findSignedTransactions } from './find-signed-transactions.ts';

type Told = { readonly signature: string; readonly slot: bigint; readonly err: unknown };
const told = (slot: bigint, err: unknown = null): Told => ({ signature: `tx${slot}`, slot, err });

/** A node that answers pages of its list, newest first. */
function nodeOf(list: readonly Told[], firstSlot = 0n, repeats = false): SolanaNode {
  const signatures = async (_: string, before: string | undefined) => {
    const from = repeats || before === undefined ? 0 : list.findIndex(({ signature }) => signature === before) + 1;
    return list.slice(from, from + MOST_SIGNATURES);
  };
  return { signatures, firstAvailableSlot: async () => firstSlot } as unknown as SolanaNode;
}
const silent = {
  signatures: async () => {
    throw new ChainUnavailable('silent');
  },
  firstAvailableSlot: async () => 0n,
} as unknown as SolanaNode;

const down = (from: bigint, to: bigint) =>
  Array.from({ length: Number(from - to) + 1 }, (_, index) => told(from - BigInt(index)));
const slotsOf = async (nodes: readonly SolanaNode[], from: bigint) =>
  (await findSignedTransactions(nodes, 'relayer', from)).map(({ slot }) => slot);

test('every page is read back to the slot, and the oldest comes first; failed transactions are left out', async () => {
  const slots = await slotsOf([nodeOf(down(2_500n, 1n))], 200n);
  expect([slots.length, slots[0], slots.at(-1)]).toEqual([2_301, 200n, 2_500n]);
  expect(await slotsOf([nodeOf([told(9n), told(8n, { InstructionError: [] }), told(7n)])], 0n)).toEqual([7n, 9n]);
});

test('what one node hides another one tells; a silent node has no part in it', async () => {
  const [one, other] = [nodeOf([told(9n), told(5n)]), nodeOf([told(9n), told(7n)])];
  expect(await slotsOf([one, silent, other], 0n)).toEqual([5n, 7n, 9n]);
});

test('a history that does not reach back proves nothing, unless another one does', async () => {
  const short = nodeOf([told(9n)], 6n);
  await expect(slotsOf([short], 5n)).rejects.toThrow(ChainUnavailable);
  await expect(slotsOf([silent], 5n)).rejects.toThrow(ChainUnavailable);
  expect(await slotsOf([short, nodeOf([told(9n), told(5n)], 2n)], 5n)).toEqual([5n, 9n]);
});

test('a node whose list never ends, or does not go back in time, counts as silent', async () => {
  await expect(slotsOf([nodeOf(down(2_000n, 500n), 0n, true)], 1n)).rejects.toThrow(ChainUnavailable);
  await expect(slotsOf([nodeOf([told(5n), told(9n)])], 1n)).rejects.toThrow(ChainUnavailable);
});
