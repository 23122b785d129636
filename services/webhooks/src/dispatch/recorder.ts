// Writes reports in batches: everything that arrived during the previous write, and a moment longer. A report is kept
// until the database has accepted it: a lost report would mean sending the delivery again.
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Clock,
  DeliveryKey,
  DeliveryReport,
  DeliveryStore,
  LeasedDelivery,
  RecordedDeliveries,
} from '@svc-pay/core';

export type Recorder = {
  /** Resolves when the report is written, or void because another process has claimed the delivery since. */
  readonly record: (report: DeliveryReport) => Promise<void>;
};

export type RecorderDeps = {
  readonly store: Pick<DeliveryStore, 'recordDeliveries'>;
  readonly clock: Clock;
  readonly onRecorded: (recorded: RecordedDeliveries, of: number) => void;
  readonly onProblem: (problem: unknown, ids: object) => void;
};

const AT_ONCE = 200;
const PAUSE_MS = 500;
/** Wait to fill a batch: reports come in bursts, like claims, and a statement for each costs more than the wait. */
const GATHER_MS = 10;

/** Ids for a log line: a leased delivery also holds its body and secrets. */
export const deliveryKey = ({ accountId, mode, eventId, endpointId }: LeasedDelivery): DeliveryKey => ({
  accountId,
  mode,
  eventId,
  endpointId,
});

type Waiting = { readonly report: DeliveryReport; readonly done: () => void };

export function createRecorder({ store, clock, onRecorded, onProblem }: RecorderDeps): Recorder {
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
        onProblem(problem, { deliveries: batch.length, firstEventId: batch[0]?.report.delivery.eventId });
        if (isAboutData(problem)) {
          for (const { report } of batch) {
            await write([report])
              .catch(() => write([bare(report)]))
              .catch((failed: unknown) => onProblem(failed, deliveryKey(report.delivery)));
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
      // Reset in the same tick as the last check of `waiting`: otherwise a report that arrives in between is never
      // written and keeps its share of the endpoint's pace forever.
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
          writeAll().catch((problem: unknown) => onProblem(problem, {}));
        });
      }),
  };
}

/** True for errors that no retry repairs: a value that the database rejects, or a violated constraint. */
function isAboutData(problem: unknown): boolean {
  return problem instanceof Error && 'code' in problem && /^2[23]/.test(String(problem.code));
}

function bare({ record, ...rest }: DeliveryReport): DeliveryReport {
  return {
    ...rest,
    record: { ...record, responseHeaders: {}, responseExcerpt: null, error: 'what came back could not be kept' },
  };
}
