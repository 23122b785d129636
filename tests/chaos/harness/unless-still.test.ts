import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { unlessStill } from './unless-still.ts';

test('a run that goes on ends by itself, however long it takes', async () => {
  const slow = unlessStill(200, async ({ show, print }) => {
    for (let done = 0; done < 6; done += 1) {
      await sleep(100);
      if (done % 2 === 0) show(done, 'payments ended');
      else print(`fault ${done}`);
    }
    return 'done';
  });
  expect(await slow).toBe('done');
});

test('a run that stands still is ended, also while it shows the same again and again; the error says what it showed last', async () => {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const hanging = unlessStill(200, async ({ show }) => {
    const showing = setInterval(() => show(7, 'payments ended'), 20);
    await released;
    clearInterval(showing);
  });
  await expect(hanging).rejects.toThrow('nothing new for 0.2 s after: 7 payments ended');
  resolve();
});

test('what a run throws is thrown', async () => {
  await expect(unlessStill(200, () => Promise.reject(new Error('no port')))).rejects.toThrow('no port');
});
