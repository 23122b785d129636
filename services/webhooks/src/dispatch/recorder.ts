// Writes reports down, as many together as came in while the last ones were written and a moment longer. A report is kept until the database
// has taken it: losing it would mean to send again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, DeliveryReport, DeliveryStore, RecordedDeliveries } from '@svc-pay/core';

export type Recorder = {
  /** Settles when it is written, or void because somebody else had claimed the delivery since. */
  readonly record: (report: DeliveryReport) => Promise<void>;
};

export type RecorderParts = {
  readonly store: Pick<DeliveryStore, 'recordDeliveries'>;
  readonly clock: Clock;
  readonly onRecorded: (recorded: RecordedDeliveries, of: number) => void;
  readonly onProblem: (problem: unknown) => void;
};

const AT_ONCE = 200;
const PAUSE_MS = 500;
/** Reports come in bursts, as deliveries are claimed in bursts: a statement for each would cost more than they do. */
const GATHER_MS = 10;

type Waiting = { readonly report: DeliveryReport; readonly done: () => void };

export function createRecorder({ store, clock, onRecorded, onProblem }: RecorderParts): Recorder {
  let waiting: Waiting[] = [];
  let writing = false;
  const write = async (reports: readonly DeliveryReport[]) => {
    onRecorded(await store.recordDeliveries(reports, clock.nowMs()), reports.length);
  };
  const writeOut = async (batch: readonly Waiting[]) => {
    for (;;) {
      try {
        await write(batch.map(({ report }) => report));
        return;
      } catch (problem) {
        onProblem(problem);
        if (isAboutData(problem)) {
          for (const { report } of batch) {
            await write([report])
              .catch(() => write([bare(report)]))
              .catch(onProblem);
          }
          return;
        }
        await sleep(PAUSE_MS);
      }
    }
  };
  const writeAll = async () => {
    try {
      while (waiting.length > 0) {
        if (waiting.length < AT_ONCE) await sleep(GATHER_MS);
        const batch = waiting.slice(0, AT_ONCE);
        waiting = waiting.slice(AT_ONCE);
        await writeOut(batch);
        for (const { done } of batch) done();
      }
    } finally {
      // In one step with the last look: a report that came in between the two would be nobody's, and hold its place in
      // the endpoint's pace for good.
      writing = false;
    }
  };
  return {
    record: (report) =>
      new Promise((resolve) => {
        waiting.push({ report, done: resolve });
        if (writing) return;
        writing = true;
        setImmediate(() => {
          writeAll().catch(onProblem);
        });
      }),
  };
}

/** Something in a row that the database does not take, however often it is offered: a value, or a broken constraint. */
function isAboutData(problem: unknown): boolean {
  return problem instanceof Error && 'code' in problem && /^2[23]/.test(String(problem.code));
}

function bare({ record, ...rest }: DeliveryReport): DeliveryReport {
  return {
    ...rest,
    record: { ...record, responseHeaders: {}, responseExcerpt: null, error: 'what came back could not be kept' },
  };
}
