import { describe, expect, test } from 'vitest';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { readIsolated, readOrEach } from './read-isolated.ts';
import { createWalk } from './walk-pages.ts';

type ProblemKind = new (message: string) => Error;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('reads of many items', () => {
  let requests = 0;
  const readAll = async (
    count: number,
    isBad: (item: number) => boolean,
    Problem: ProblemKind = Error,
    readMany: typeof readIsolated = readIsolated,
  ) => {
    const failed: number[] = [];
    requests = 0;
    const found = await readMany(
      numbers(count),
      async (some) => {
        requests += 1;
        if (some.some(isBad)) throw new Problem('a bad item');
        return some.map((item) => item * 2);
      },
      (item) => failed.push(item),
    );
    return { found, failed, requests };
  };

  test('leave out the item that fails, answer all others, and cost one request while none fails', async () => {
    const { found, failed, requests } = await readAll(500, (item) => item === 123);
    expect(failed).toEqual([123]);
    expect([...found]).toEqual(
      numbers(500)
        .filter((item) => item !== 123)
        .map((item) => [item, item * 2]),
    );
    expect(requests).toBeLessThan(25);
    expect((await readAll(500, () => false)).requests).toBe(1);
  });

  test.each<[string, ProblemKind, (item: number) => boolean]>([
    ['by its own fault, in front', Error, (item) => item < 20],
    ['by its own fault, everywhere', Error, (item) => item % 2 === 0],
    ['because no node answers for it, in front', ChainUnavailable, (item) => item < 20],
    ['because no node answers for it, in front and behind', ChainUnavailable, (item) => item < 20 || item % 40 === 0],
  ])('answer all others where many an item fails %s', async (_, Problem, isBad) => {
    const { found, failed } = await readAll(100, isBad, Problem);
    expect(failed.toSorted((one, other) => one - other)).toEqual(numbers(100).filter(isBad));
    expect([...found.keys()].toSorted((one, other) => one - other)).toEqual(
      numbers(100).filter((item) => !isBad(item)),
    );
  });

  test('end soon when the chain is silent', async () => {
    await expect(readAll(500, () => true, ChainUnavailable)).rejects.toThrow(ChainUnavailable);
    expect(requests).toBeLessThan(50);
  });

  test('of a chain that is known to answer cost one request while none fails, and never end early', async () => {
    expect(await readAll(500, () => false, Error, readOrEach)).toMatchObject({ failed: [], requests: 1 });
    const { found, failed } = await readAll(500, (item) => item !== 123, ChainUnavailable, readOrEach);
    expect([...found]).toEqual([[123, 246]]);
    expect(failed).toHaveLength(499);
    expect(await readAll(0, () => true, Error, readOrEach)).toMatchObject({ failed: [], requests: 0 });
  });
});

describe('a walk over pages', () => {
  const walkOver = (rows: readonly number[]) =>
    createWalk<number>({
      load: async (after = -1, limit) => rows.filter((row) => row > after).slice(0, limit),
      pageSize: 10,
      maxPages: 2,
    });

  test('goes on in the next beat behind where it ended, and begins anew behind the last row', async () => {
    const walk = walkOver(numbers(35));
    const beats: number[][] = [];
    for (let heartbeat = 0; heartbeat < 3; heartbeat += 1) {
      const seen: number[] = [];
      await walk(async (page) => void seen.push(...page));
      beats.push(seen);
    }
    expect(beats).toEqual([numbers(20), numbers(35).slice(20), numbers(20)]);
  });

  test('does not begin with the page again that ended the beat before', async () => {
    const walk = walkOver(numbers(35));
    await expect(walk(() => Promise.reject(new Error('this page')))).rejects.toThrow('this page');
    const seen: number[] = [];
    await walk(async (page) => void seen.push(...page));
    expect(seen).toEqual(numbers(30).slice(10));
  });
});
