// The short form of `npm run chaos -- restore`.
import { expect, test } from 'vitest';
import { silent } from '../../progress.ts';
import { runRestore } from './run-restore.ts';

test('a database restored from before 100 payments learns them from the chain: no money twice, the same answers, books that hold', async () => {
  const { problems, ...figures } = await runRestore({ payments: 100, seed: 31 }, silent);
  console.log(JSON.stringify(figures));
  expect(problems.slice(0, 10)).toEqual([]);
});
