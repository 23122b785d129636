import type { AbusePage } from '@svc-pay/core';
import { expect, onTestFinished, test } from 'vitest';
import { createTraces } from './traces.ts';

const HOUR_MS = 3_600_000;
const caller = (kind: 'publishable' | 'secret') =>
  ({ keyId: `key_${kind}`, accountId: 'acct_1', mode: 'live', kind }) as never;

function world() {
  let nowMs = 0;
  let down = false;
  const pages: AbusePage[] = [];
  const deletions: number[] = [];
  const problems: unknown[] = [];
  const traces = createTraces({
    clock: { nowMs: () => nowMs },
    hashOf: (address) => `hash of ${address}`,
    write: async (_, page) => {
      if (down) throw new Error('the database is away');
      pages.push(page);
    },
    deleteBefore: async (beforeMs) => void deletions.push(beforeMs),
    onProblem: (problem) => problems.push(problem),
  });
  onTestFinished(traces.stop);
  const shown = () =>
    (pages.at(-1)?.counts ?? []).map(({ cause, kind, subject, count, paid }) =>
      [cause, kind, subject, count, paid].join(' '),
    );
  return {
    traces,
    pages,
    deletions,
    problems,
    shown,
    wait: (ms: number) => void (nowMs += ms),
    breakDown: (broken: boolean) => void (down = broken),
  };
}

test('addresses are counted by their hash; keys and accounts as far as they are known', async () => {
  const { traces, shown } = world();
  traces.refused({ address: '192.0.2.1' });
  traces.refused({ address: '192.0.2.1', caller: caller('secret') });
  traces.payerRefused('0xab');
  traces.streamOpened({ address: '192.0.2.1', caller: caller('publishable') });
  await traces.flush();
  expect(shown()).toEqual([
    'refused address hash of 192.0.2.1 2 0',
    'refused key key_secret 1 0',
    'refused account acct_1/live 1 0',
    'refused payer 0xab 1 0',
    'streams address hash of 192.0.2.1 1 0',
    'streams key key_publishable 1 0',
    'streams account acct_1/live 1 0',
  ]);
});

test('a merchant whose server creates and whose customers pay stands nowhere as one who does not pay', async () => {
  const { traces, shown } = world();
  traces.created({ address: '192.0.2.1', caller: caller('secret') });
  traces.paid({ address: '198.51.100.1', caller: caller('publishable') });
  const ofSecret = { accountId: 'acct_1', mode: 'live', kind: 'publishable' } as never;
  traces.created({ address: '192.0.2.1', caller: caller('secret') });
  traces.paid({ address: '198.51.100.2', caller: ofSecret });
  traces.created({ address: '192.0.2.9', caller: caller('publishable') });
  await traces.flush();
  expect(shown()).toEqual([
    'created account acct_1/live 3 2',
    'created address hash of 192.0.2.9 1 0',
    'created key key_publishable 1 0',
  ]);
});

test('what can’t be written is kept for the next try, and old rows are deleted once an hour', async () => {
  const { traces, shown, problems, breakDown, wait, deletions, pages } = world();
  breakDown(true);
  traces.refused({ address: '192.0.2.1' });
  await traces.flush();
  expect([problems.length, pages.length]).toEqual([1, 0]);
  breakDown(false);
  traces.refused({ address: '192.0.2.1' });
  await traces.flush();
  await traces.flush();
  expect(shown()).toEqual(['refused address hash of 192.0.2.1 2 0']);
  expect([pages.length, deletions.length]).toEqual([1, 1]);
  wait(HOUR_MS);
  await traces.flush();
  expect(deletions).toEqual([-7 * 24 * HOUR_MS, (1 - 7 * 24) * HOUR_MS]);
});

test('a flood that 1,000 addresses share evenly hides none of them', async () => {
  const { traces, pages } = world();
  for (let round = 0; round < 10; round += 1) {
    for (let index = 0; index < 1_000; index += 1) traces.refused({ address: `10.0.${index >> 8}.${index & 255}` });
  }
  await traces.flush();
  const counts = pages.at(-1)?.counts.map(({ count }) => count);
  expect(counts).toEqual(Array.from({ length: 50 }, () => 10));
});
