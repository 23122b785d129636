import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createComponentGroup } from './component-group.ts';

test('a part that is still starting when another fails is waited for, and stopped', async () => {
  const parts = createComponentGroup();
  const stopped: string[] = [];
  const part = (name: string) => ({ stop: async () => void stopped.push(name) });
  const starts = Promise.all([
    parts.start('quick', async () => part('quick')),
    parts.start('broken', async () => Promise.reject(new Error('port is taken'))),
    parts.start('slow', async () => sleep(50, part('slow'))),
  ]);
  await expect(starts).rejects.toThrow('port is taken');
  await parts.stop();
  expect(stopped.toSorted()).toEqual(['quick', 'slow']);
});

test('the first part to end by itself is named', async () => {
  const parts = createComponentGroup();
  const stop = async () => {};
  await parts.start('chain', async () => ({ ended: sleep(30), stop }));
  await parts.start('database', async () => ({ ended: sleep(5), stop }));
  await parts.start('feed', async () => ({ stop }));
  expect(await parts.ended).toBe('database');
});
