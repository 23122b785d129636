import type { DeliveryReport } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createRecorder } from './recorder.ts';

function world() {
  const written: DeliveryReport[][] = [];
  const recorder = createRecorder({
    store: {
      recordDeliveries: async (reports) => {
        written.push([...reports]);
        return { count: reports.length, givenUp: [], switchedOff: [] };
      },
    },
    clock: { nowMs: () => 0 },
    onRecorded: () => {},
    onProblem: (problem) => {
      throw problem;
    },
  });
  return { recorder, written };
}

const report = (eventId: string) => ({ delivery: { eventId } }) as DeliveryReport;

test('a report that comes in the very moment the last ones were written is written too', async () => {
  const { recorder, written } = world();
  await recorder.record(report('evt_1'));
  await recorder.record(report('evt_2'));
  expect(written).toEqual([[report('evt_1')], [report('evt_2')]]);
});

test('what comes in together is written together', async () => {
  const { recorder, written } = world();
  await Promise.all(['evt_1', 'evt_2', 'evt_3'].map((id) => recorder.record(report(id))));
  expect(written).toEqual([[report('evt_1'), report('evt_2'), report('evt_3')]]);
});
