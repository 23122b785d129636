import type { Caller } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test, vi } from 'vitest';
import { createKeyUses, type NotedUse } from './key-uses.ts';

const callerOf = (): Caller => ({
  accountId: newId('account', 0),
  keyId: newId('key', 0),
  kind: 'secret',
  mode: 'test',
});

function world(record: (uses: readonly NotedUse[]) => Promise<void>) {
  let nowMs = 0;
  const onProblem = vi.fn();
  const uses = createKeyUses({ clock: { nowMs: () => (nowMs += 1) }, record, everyMs: 60_000, onProblem });
  return { uses, onProblem };
}

test('a thousand requests of two keys are written once a minute, with the time of the last one', async () => {
  vi.useFakeTimers();
  const written: (readonly NotedUse[])[] = [];
  const { uses } = world(async (batch) => void written.push(batch));
  const [one, other] = [callerOf(), callerOf()];
  for (let count = 0; count < 500; count += 1) for (const caller of [one, other]) uses.note(caller);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(written.map((batch) => batch.map(({ keyId, atMs }) => [keyId, atMs]))).toEqual([
    [
      [one.keyId, 999],
      [other.keyId, 1_000],
    ],
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(written).toHaveLength(1);
  vi.useRealTimers();
});

test('what was not written yet is written when the service stops, and a failure is reported and not thrown', async () => {
  const written: NotedUse[] = [];
  const { uses } = world(async (batch) => void written.push(...batch));
  uses.note(callerOf());
  await uses.stop();
  expect(written).toHaveLength(1);
  const broken = world(() => Promise.reject(new Error('no database')));
  broken.uses.note(callerOf());
  await broken.uses.stop();
  expect(broken.onProblem).toHaveBeenCalledOnce();
});
