import { expect, test } from 'vitest';
import { decideReplayStep, isLastPage } from './replay-events.ts';

const endpoint = { status: 'enabled', createdAtMs: 500, eventTypes: ['payment.completed'] } as const;
const replay = { fromMs: 100, toMs: 900, types: null, scope: 'failed', total: 3 } as const;

test('a replay of what failed begins at the creation of the endpoint and queues only what failed', () => {
  expect(decideReplayStep(replay, endpoint)).toEqual({
    next: 'queue',
    range: { fromMs: 500, toMs: 900, types: ['payment.completed'] },
    statuses: ['failed'],
  });
  expect(decideReplayStep({ ...replay, fromMs: 600 }, endpoint)).toMatchObject({ range: { fromMs: 600 } });
});

test('a replay of all events has the range and the types that were asked for, and queues whatever became of them', () => {
  expect(decideReplayStep({ ...replay, scope: 'all', types: ['payment.failed'] }, endpoint)).toEqual({
    next: 'queue',
    range: { fromMs: 100, toMs: 900, types: ['payment.failed'] },
    statuses: ['pending', 'succeeded', 'failed', 'discarded'],
  });
});

test('events are counted before the first is queued', () => {
  expect(decideReplayStep({ ...replay, total: null }, endpoint)).toMatchObject({ next: 'count' });
});

test('a disabled endpoint is replayed to, and its deliveries wait; a deleted one ends the replay', () => {
  expect(decideReplayStep(replay, { ...endpoint, status: 'disabled' })).toMatchObject({ next: 'queue' });
  for (const gone of [undefined, { ...endpoint, status: 'deleted' } as const]) {
    expect(decideReplayStep(replay, gone)).toEqual({ next: 'fail', reason: 'endpoint_deleted' });
  }
});

test('a replay ends with a page that is not full', () => {
  expect([0, 499, 500].map((examined) => isLastPage(examined, 500))).toEqual([true, true, false]);
});
