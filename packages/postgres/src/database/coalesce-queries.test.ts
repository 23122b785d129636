import { describe, expect, test } from 'vitest';
import { coalesceQueries } from './coalesce-queries.ts';

/** A statement that the test answers by calling `end`. */
function held() {
  const asked: { readonly asks: readonly string[]; readonly end: (problem?: Error) => void }[] = [];
  const askAll = (asks: readonly string[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      asked.push({
        asks,
        end: (problem) => (problem ? reject(problem) : resolve(asks.map((ask) => ask.toUpperCase()))),
      });
    });
  return { asked, askAll };
}
const moment = () => new Promise((resolve) => setTimeout(resolve, 0));

test('a question goes at once while few are under way, and together with others when it would wait anyway', async () => {
  const { asked, askAll } = held();
  const ask = coalesceQueries({ concurrent: 2, most: 3 }, askAll);
  const answers = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(ask));
  expect(asked.map(({ asks }) => asks)).toEqual([['a'], ['b']]);
  asked[0]?.end();
  await moment();
  expect(asked[2]?.asks).toEqual(['c', 'd', 'e']);
  for (const index of [1, 2]) asked[index]?.end();
  await moment();
  asked[3]?.end();
  expect(await answers).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
});

test('questions with the same key never share a statement', async () => {
  const { asked, askAll } = held();
  const ask = coalesceQueries({ concurrent: 1, most: 10, keyOf: (text: string) => text.charAt(0) }, askAll);
  const answers = Promise.all(['x', 'a1', 'b1', 'a2', 'c1'].map(ask));
  for (const index of [0, 1, 2]) {
    asked[index]?.end();
    await moment();
  }
  expect(asked.map(({ asks }) => asks)).toEqual([['x'], ['a1', 'b1', 'c1'], ['a2']]);
  expect(await answers).toEqual(['X', 'A1', 'B1', 'A2', 'C1']);
});

test('one that is at fault fails alone', async () => {
  const askAll = async (asks: readonly string[]) => {
    if (asks.includes('bad')) throw new Error('bad');
    return asks;
  };
  const ask = coalesceQueries({ concurrent: 1, most: 10 }, askAll);
  const outcomes = await Promise.allSettled(['first', 'good', 'bad', 'better'].map(ask));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

test('a statement that gives another number of answers than it was asked for answers nobody with the answer of another', async () => {
  const askAll = async (asks: readonly string[]) => (asks.includes('silent') ? asks.slice(1) : asks);
  const ask = coalesceQueries({ concurrent: 1, most: 10 }, askAll);
  const outcomes = await Promise.allSettled(['first', 'good', 'silent', 'better'].map(ask));
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'rejected'))).toEqual([
    'first',
    'good',
    'rejected',
    'better',
  ]);
});

test('the faulty one of 256 costs sixteen more statements', async () => {
  let statements = 0;
  const askAll = async (asks: readonly number[]) => {
    statements += 1;
    if (asks.includes(77)) throw new Error('bad');
    return asks;
  };
  const ask = coalesceQueries({ concurrent: 1, most: 256 }, askAll);
  const outcomes = await Promise.allSettled([0, ...Array.from({ length: 256 }, (_, index) => index + 1)].map(ask));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(outcomes[77]?.status).toBe('rejected');
  // One alone, the group of 256, and two for each of its eight halvings.
  expect(statements).toBe(18);
});

describe('a lost connection', () => {
  const lost = () => new Error('Connection terminated unexpectedly');

  test('is nobody’s fault: the group is run again as it is', async () => {
    const { asked, askAll } = held();
    const ask = coalesceQueries({ concurrent: 1, most: 10 }, askAll);
    const answers = Promise.all(['x', 'a', 'b', 'c'].map(ask));
    asked[0]?.end();
    await moment();
    asked[1]?.end(lost());
    await moment();
    expect(asked.map(({ asks }) => asks)).toEqual([['x'], ['a', 'b', 'c'], ['a', 'b', 'c']]);
    asked[2]?.end();
    expect(await answers).toEqual(['X', 'A', 'B', 'C']);
  });

  test('that is lost again fails all of the group, without a statement for each', async () => {
    const { asked, askAll } = held();
    const ask = coalesceQueries({ concurrent: 1, most: 10 }, askAll);
    const outcomes = Promise.allSettled(['x', 'a', 'b', 'c'].map(ask));
    asked[0]?.end();
    for (const index of [1, 2]) {
      await moment();
      asked[index]?.end(lost());
    }
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(asked).toHaveLength(3);
  });
});
