import type { WatchLogEvent } from '@svc-pay/core';
import type { RetentionOptions } from '@svc-pay/postgres/settlement-service';
import { expect, test } from 'vitest';
import { createRetention } from './retention.ts';

function open(runRetention: (options: RetentionOptions) => Promise<boolean>) {
  const logged: WatchLogEvent[] = [];
  const failures: string[] = [];
  const retention = createRetention(
    { runRetention },
    {
      archive: 'directory',
      archiveDirectory: '/archive',
      clock: { nowMs: () => 0 },
      log: (event) => logged.push(event),
      countFailure: (_, watcher) => failures.push(watcher),
    },
  );
  return { retention, logged, failures };
}

test('a long run goes on beside the next invocation, and ends when the process stops', async () => {
  let runs = 0;
  const { retention, failures } = open(async ({ stop }) => {
    runs += 1;
    await new Promise((resolve) => stop.addEventListener('abort', resolve));
    throw stop.reason;
  });
  const invocations = [retention.job.run(), retention.job.run()];
  await retention.stop();
  await Promise.all(invocations);
  expect(runs).toBe(1);
  await retention.job.run();
  expect(runs).toBe(1);
  expect(failures).toEqual([]);
});

test('what is retired, what stays and what fails is logged; only failures are counted', async () => {
  const { retention, logged, failures } = open(async ({ onRetired, onFailure }) => {
    onRetired('events_2024_01', { outcome: 'archived', rows: 2 });
    onRetired('settlements_2024_01', { outcome: 'waits', reason: 'unfinished_rows' });
    onFailure('attempts_2024_01', new Error('disk full'));
    throw new Error('connection lost');
  });
  await retention.job.run();
  expect(logged).toEqual([
    'partition_retired',
    'partition_not_retired',
    'partition_not_retired',
    'periodic_job_failed',
  ]);
  expect(failures).toEqual(['partition-maker', 'partition-maker']);
});
