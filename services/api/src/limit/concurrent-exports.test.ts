import type { DayOrder, ExportStore } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { concurrentExports } from './concurrent-exports.ts';

const LONG_MS = 60_000;

/** One place; a read ends when the test says so. */
function world(waitMs: number) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const store = {
    sumDay: async ({ accountId }: DayOrder) => {
      begun.push(accountId);
      await new Promise<void>((resolve) => ends.push(resolve));
      return { ok: true, sums: [], lastId: undefined, hasMore: false } as const;
    },
  } as unknown as ExportStore;
  const limited = concurrentExports(store, 1, waitMs);
  const ask = (accountId: string) => limited.sumDay({ accountId, mode: 'test', fromMs: 0, toMs: 1, afterId: '' });
  return { begun, ask, end: () => ends.shift()?.() };
}

test('accounts take turns, however many pages one of them asks for', async () => {
  const { begun, ask, end } = world(LONG_MS);
  const asked = ['a', 'a', 'a', 'b', 'c'].map(ask);
  for (let turns = 1; turns <= asked.length; turns += 1) {
    await expect.poll(() => begun.length).toBe(turns);
    end();
  }
  expect(await Promise.all(asked)).toMatchObject(asked.map(() => ({ ok: true })));
  expect(begun).toEqual(['a', 'b', 'a', 'c', 'a']);
});

test('an export that waits too long is refused as busy, and its place goes to the next one', async () => {
  const { begun, ask, end } = world(20);
  const first = ask('a');
  expect(await ask('b')).toEqual({ ok: false, reason: 'busy' });
  end();
  expect(await first).toMatchObject({ ok: true });
  const next = ask('b');
  await expect.poll(() => begun).toEqual(['a', 'b']);
  end();
  expect(await next).toMatchObject({ ok: true });
});

test('an account has at most four that wait', async () => {
  const { begun, ask, end } = world(LONG_MS);
  const asked = Array.from({ length: 5 }, () => ask('a'));
  expect(await ask('a')).toEqual({ ok: false, reason: 'busy' });
  for (const [index, one] of asked.entries()) {
    await expect.poll(() => begun.length).toBe(index + 1);
    end();
    expect(await one).toMatchObject({ ok: true });
  }
});
