import { expect, test } from 'vitest';
import { createReach, EngineRefusal } from './reach.ts';

function nodes(answers: Record<string, () => string>) {
  const asked: string[] = [];
  const reach = createReach(Object.keys(answers));
  const ask = () =>
    reach(async (url) => {
      asked.push(url);
      return answers[url]?.() ?? '';
    });
  return { ask, asked };
}
const away = (): never => {
  throw new Error('connection refused');
};

test('a node that is away is passed over, and the one that answered is asked first from then on', async () => {
  const { ask, asked } = nodes({ one: away, two: () => 'yes', three: () => 'no' });
  expect([await ask(), await ask()]).toEqual(['yes', 'yes']);
  expect(asked).toEqual(['one', 'two', 'two']);
});

test('a refusal is not carried to the next node', async () => {
  const { ask, asked } = nodes({
    one: () => {
      throw new EngineRefusal('no');
    },
    two: () => 'yes',
  });
  await expect(ask()).rejects.toThrow('no');
  expect(asked).toEqual(['one']);
});

test('when all are away each was asked once, and the problem is told', async () => {
  const { ask, asked } = nodes({ one: away, two: away });
  await expect(ask()).rejects.toThrow('connection refused');
  expect(asked).toEqual(['one', 'two']);
});
