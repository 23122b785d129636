import { describe, expect, test } from 'vitest';
import { agreeOnBlock, agreeOnEnds, agreeOnLogs, type EndsVerdict, type EndsView } from './agree-on-range.ts';
import type { BlockRef } from './reader-chain.ts';

const block = (hash: string, timeSeconds = 1n): BlockRef => ({ number: 1n, hash, timeSeconds });
/** `c`: the block at the cursor, `e`: at the end of the range; upper case is another fork, `-` none. */
const view = (name: string): EndsView => {
  const [cursor = '-', end = '-'] = name;
  return { cursor: cursor === '-' ? undefined : block(cursor), end: end === '-' ? undefined : block(end) };
};
const views = (names: string) => (names === '' ? [] : names.split(' ').map(view));

describe('the ends of a range', () => {
  test.each<[string, string, EndsVerdict<EndsView>['verdict'], number]>([
    ['two nodes that show the same', 'ce ce', 'follows', 2],
    ['three of which one is elsewhere', 'ce ce CE', 'follows', 2],
    ['three of which one lags', 'ce ce c-', 'follows', 2],
    ['three of which one knows nothing', 'ce ce --', 'follows', 2],
    ['one node alone', 'ce', 'follows', 1],
    ['one that shows it beside one that lags', 'ce c-', 'unknown', 0],
    ['one that shows it beside one that knows nothing', 'ce --', 'unknown', 0],
    ['nodes that all lag', 'c- c- c-', 'unknown', 0],
    ['one node alone that lags', 'c-', 'unknown', 0],
    ['nobody', '', 'unknown', 0],
    ['two with different ends', 'ce cE', 'contradicted', 0],
    ['two pairs with different ends', 'ce ce cE cE', 'contradicted', 0],
    ['two with different cursors', 'ce CE', 'contradicted', 0],
    ['two pairs with different cursors', 'ce ce CE CE', 'contradicted', 0],
    ['two that left the cursor', 'CE CE', 'reorg', 0],
    ['two that left the cursor beside one that did not', 'CE CE ce', 'reorg', 0],
    ['two that left the cursor and lag', 'C- C-', 'reorg', 0],
    ['one node alone that left the cursor', 'C-', 'reorg', 0],
    ['one that left the cursor beside one that has none', 'CE --', 'unknown', 0],
    ['an end of the fork that nobody is on', 'ce Ce CE', 'reorg', 0],
  ])('of %s', (_, names, verdict, voters) => {
    const judged = agreeOnEnds(block('c'), views(names));
    expect(judged.verdict).toBe(verdict);
    if (judged.verdict === 'follows') {
      expect(judged.voters).toHaveLength(voters);
      expect(judged.end).toEqual(block('e'));
    }
  });

  test('with one hash and two times are not the same', () => {
    const [one, other] = [{ ...view('ce') }, { cursor: block('c'), end: block('e', 2n) }];
    expect(agreeOnEnds(block('c'), [one, other]).verdict).not.toBe('follows');
  });
});

describe('the logs of a range', () => {
  const logs = (name: string) => (name === '-' ? undefined : { digest: name, logs: [] });
  test.each<[string, string, number, string]>([
    ['two that agree', 'a a', 2, 'agreed a'],
    ['two that agree beside one that dropped some', 'a b a', 3, 'agreed a'],
    ['one alone', 'a', 1, 'agreed a'],
    ['one beside a node that lacks the blocks', 'a', 2, 'unknown'],
    ['one beside a node whose chain changed', 'a -', 2, 'unknown'],
    ['two that differ', 'a b', 2, 'contradicted'],
    ['two pairs that differ', 'a a b b', 4, 'contradicted'],
    ['none', '', 0, 'unknown'],
    ['nodes whose chain changed', '- -', 2, 'unknown'],
  ])('of %s', (_, names, answered, verdict) => {
    const agreed = agreeOnLogs(names === '' ? [] : names.split(' ').map(logs), answered);
    expect(agreed.verdict === 'agreed' ? `agreed ${agreed.digest}` : agreed.verdict).toBe(verdict);
  });
});

test('a block is what two nodes show, or the only one', () => {
  expect(agreeOnBlock([block('a'), block('b'), block('a')])).toEqual(block('a'));
  expect(agreeOnBlock([block('a'), block('b')])).toBeUndefined();
  expect(agreeOnBlock([block('a'), undefined])).toBeUndefined();
  expect(agreeOnBlock([block('a')])).toEqual(block('a'));
  expect(agreeOnBlock([undefined])).toBeUndefined();
  expect(agreeOnBlock([])).toBeUndefined();
});
