// Whether partitions are made ahead and old rows leave, as settlement has recorded it.
import { isoTime, judgeRetention, type RetentionFault } from '@svc-pay/core';
import { reportRetention } from '@svc-pay/postgres/operator';
import { COMMAND } from '../command/leaf.ts';
import { type Finding, findingsOf } from './finding.ts';

type Pool = Parameters<typeof reportRetention>[0];

const PAGE = 'See docs/operate/retention.md#when-a-month-stays.';
const RUNNING = 'Start settlement and its engine: it runs every hour.';
const MIGRATE = `Start settlement, or run \`${COMMAND} migrate\`: both make the coming partitions.`;

export async function checkRetention(pool: Pool, nowMs: number): Promise<readonly Finding[]> {
  const report = await reportRetention(pool);
  const faults = judgeRetention(report, nowMs);
  const ahead = Math.min(...report.tables.map(({ daysAhead }) => daysAhead));
  return [
    ...faults.map(findingOf),
    ...(faults.length === 0
      ? [findingsOf('database', 'retention').ok(`Old rows leave, and the next ${ahead} days have partitions.`)]
      : []),
  ];
}

function findingOf(fault: RetentionFault): Finding {
  const retention = findingsOf('database', 'retention');
  const partitions = findingsOf('database', 'partitions');
  switch (fault.fault) {
    case 'late':
      return retention.problem(
        `Retention has left something undone since ${isoTime(fault.sinceMs)}: ${fault.problem ?? 'it did not run'}.`,
        fault.problem === null ? RUNNING : PAGE,
      );
    case 'undone':
      return retention.warning(`The last run of retention left something undone: ${fault.problem}.`, PAGE);
    case 'few_days_ahead':
      return partitions.problem(
        `The next week has no partitions in ${fault.tables.length} tables, such as ${fault.tables[0]}.`,
        MIGRATE,
      );
    case 'stray_rows':
      return partitions.warning(
        `Rows without a partition of their time are in the default partition of ${fault.tables.join(', ')}.`,
        `${MIGRATE} The next run moves them.`,
      );
    case 'answers_late':
    default:
      return retention.problem(`The oldest idempotency key is of ${isoTime(fault.sinceMs)}.`, RUNNING);
  }
}
