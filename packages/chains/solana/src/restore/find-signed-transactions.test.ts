import { ChainUnavailable } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { MOST_SIGNATURES, type SolanaNode } from '../rpc/solana-node.ts';
import { findAnySigned, findSignedTransactions } from './find-signed-transactions.ts';

type Told = { readonly signature: string; readonly slot: bigint; readonly err: unknown };
const told = (slot: bigint, err: unknown = null): Told => ({ signature: `tx${slot}`, slot, err });

type Habits = {
  readonly firstSlot?: bigint;
  readonly finalSlot?: bigint;
  readonly repeats?: boolean;
  readonly pageSize?: number;
  /** A server behind the same address that lacks these transactions answers what comes before them. */
  readonly forgets?: readonly string[];
};

/** A node that answers pages of its list, newest first. */
function nodeOf(list: readonly Told[], habits: Habits = {}): SolanaNode {
  const { firstSlot = 0n, finalSlot = 10_000n, repeats = false, pageSize = MOST_SIGNATURES, forgets = [] } = habits;
  const signatures = async (_: string, before: string | undefined) => {
    if (before !== undefined && forgets.includes(before)) return [];
    const from = repeats || before === undefined ? 0 : list.findIndex(({ signature }) => signature === before) + 1;
    return list.slice(from, from + pageSize);
  };
  const statuses = async (ids: readonly string[]) => ids.map((id) => (forgets.includes(id) ? null : {}));
  const [slot, firstAvailableSlot] = [async () => finalSlot, async () => firstSlot];
  return { signatures, statuses, slot, firstAvailableSlot } as unknown as SolanaNode;
}
const silent = {
  signatures: async () => {
    throw new ChainUnavailable('silent');
  },
  slot: async () => 10_000n,
  firstAvailableSlot: async () => 0n,
} as unknown as SolanaNode;

const down = (from: bigint, to: bigint) =>
  Array.from({ length: Number(from - to) + 1 }, (_, index) => told(from - BigInt(index)));
const slotsOf = async (nodes: readonly SolanaNode[], from: bigint, to?: bigint) =>
  (await findSignedTransactions(nodes, 'relayer', from, to)).map(({ slot }) => slot);

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
  const short = nodeOf([told(9n)], { firstSlot: 6n });
  await expect(slotsOf([short], 5n)).rejects.toThrow(ChainUnavailable);
  await expect(slotsOf([silent], 5n)).rejects.toThrow(ChainUnavailable);
  expect(await slotsOf([short, nodeOf([told(9n), told(5n)], { firstSlot: 2n })], 5n)).toEqual([5n, 9n]);
});

test('a node whose list never ends, or does not go back in time, counts as silent', async () => {
  await expect(slotsOf([nodeOf(down(2_000n, 500n), { repeats: true })], 1n)).rejects.toThrow(ChainUnavailable);
  await expect(slotsOf([nodeOf([told(5n), told(9n)])], 1n)).rejects.toThrow(ChainUnavailable);
});

test('a short page is not the end of the list', async () => {
  expect(await slotsOf([nodeOf(down(9n, 1n), { pageSize: 2 })], 2n)).toEqual([2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n]);
  const alike = [9n, 9n, 9n].map((slot, index) => ({ ...told(slot), signature: `tx${index}` }));
  await expect(slotsOf([nodeOf(alike, { pageSize: 2, repeats: true })], 1n)).rejects.toThrow(ChainUnavailable);
});

test('an empty page is the end only for a node that knows the transaction before it', async () => {
  const torn = nodeOf(down(9n, 1n), { pageSize: 3, forgets: ['tx7'] });
  await expect(slotsOf([torn], 1n)).rejects.toThrow(ChainUnavailable);
  // What it told counts beside a node with the whole list.
  expect(await slotsOf([torn, nodeOf([told(6n)])], 1n)).toEqual([6n, 7n, 8n, 9n]);
});

test('a node that is not final up to the last slot proves nothing', async () => {
  const lagging = nodeOf([told(5n)], { finalSlot: 6n });
  await expect(slotsOf([lagging], 1n, 9n)).rejects.toThrow(ChainUnavailable);
  expect(await slotsOf([lagging, nodeOf([told(8n)], { finalSlot: 9n })], 1n, 9n)).toEqual([5n, 8n]);
});

const anyOf = (nodes: readonly SolanaNode[], paid: bigint, pages: number[] = []) =>
  findAnySigned(nodes, 'relayer', 0n, async (page) => {
    pages.push(page.length);
    return page.some(({ slot }) => slot === paid);
  });

test('that there was no payment is believed only of a node with the history back to the first block', async () => {
  const pruned = nodeOf([], { firstSlot: 1n });
  expect(await anyOf([nodeOf(down(9n, 1n))], 0n)).toBe('none');
  expect(await anyOf([nodeOf(down(9n, 1n))], 4n)).toBe('some');
  expect(await anyOf([pruned], 0n)).toBe('unknown');
  expect(await anyOf([silent], 0n)).toBe('unknown');
  expect(await anyOf([pruned, nodeOf([])], 0n)).toBe('none');
  // One that has dropped the rest of its history still tells what it has.
  expect(await anyOf([nodeOf([]), nodeOf([told(9n)], { firstSlot: 8n })], 9n)).toBe('some');
});

test('a history is looked through page by page, up to the first payment, and not without an end', async () => {
  const pages: number[] = [];
  expect(await anyOf([nodeOf(down(9_000n, 1n), { pageSize: 100 })], 8_850n, pages)).toBe('some');
  expect(pages).toEqual([100, 100]);
  const all: number[] = [];
  expect(await anyOf([nodeOf(down(9_000n, 1n), { pageSize: 100 })], 0n, all)).toBe('unknown');
  expect(all).toHaveLength(10);
});
