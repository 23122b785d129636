import type { DayOrder } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { getStatement } from './get-statement.ts';

type Handle = typeof getStatement.handle;

/** `parts` says what each step finds. */
function ask(parts: readonly ('part' | 'busy')[]) {
  const afters: string[] = [];
  const ports = {
    peppers: [new Uint8Array(32)],
    clock: { nowMs: () => Date.parse('2026-11-17T12:00:00Z') },
    exports: {
      allCommitted: async () => true,
      sumDay: async ({ afterId }: DayOrder) => {
        afters.push(afterId);
        if (parts[afters.length - 1] === 'busy') return { ok: false, reason: 'busy' };
        return { ok: true, sums: [], lastId: `lg_${afters.length}`, hasMore: true };
      },
    },
  };
  const world = { ports } as unknown as Parameters<Handle>[0];
  const call = { caller: { accountId: 'acct_a', mode: 'test' }, query: { day: '2026-11-16' } };
  return getStatement.handle(world, call as unknown as Parameters<Handle>[1]);
}

test('a part that finds no turn later on does not lose what is summed', async () => {
  const outcome = await ask(['part', 'part', 'busy']);
  if (!outcome.ok || !('answer' in outcome)) throw new Error('refused');
  const { hasMore, cursor } = JSON.parse(outcome.answer.body);
  expect(hasMore).toBe(true);
  expect(Buffer.from(cursor.split('.')[0], 'base64url').toString()).toBe('lg_2');
  expect(await ask(['busy'])).toMatchObject({ ok: false, code: 'export_busy' });
});
