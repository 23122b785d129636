// Whether partitions are made ahead and old rows leave, as settlement has recorded it.
import { isoTime, judgeRetention, type RetentionFault } from '@svc-pay/core';
import { type LockRoom, readLockRoom, reportRetention } from '@svc-pay/postgres/operator';
import { COMMAND } from '../command/leaf.ts';
import { type Finding, findingsOf } from './finding.ts';

type Pool = Parameters<typeof reportRetention>[0];

const PAGE = 'See docs/operate/retention.md#when-a-month-stays.';
const RUNNING = 'Start settlement and its engine: it runs every hour.';
const MIGRATE = `Start settlement, or run \`${COMMAND} migrate\`: both make the coming partitions.`;

/** For tables of days: see the figures in docs/operate/retention.md. */
const LOCKS_FOR_DAYS = 256;

export async function checkRetention(pool: Pool, nowMs: number): Promise<readonly Finding[]> {
  const report = await reportRetention(pool);
  const faults = judgeRetention(report, nowMs);
  const ahead = Math.min(...report.tables.map(({ daysAhead }) => daysAhead));
  return [
    ...faults.map(findingOf),
    ...checkLocks(await readLockRoom(pool)),
    ...(faults.length === 0
      ? [findingsOf('database', 'retention').ok(`Old rows leave, and the next ${ahead} days have partitions.`)]
      : []),
  ];
}

function checkLocks({ dayTables, locks }: LockRoom): readonly Finding[] {
  if (dayTables.length === 0 || locks >= LOCKS_FOR_DAYS) return [];
  return [
    findingsOf('database', 'partitions').warning(
      `${dayTables.join(', ')} are cut into days, and max_locks_per_transaction is ${locks}.`,
      `Set it to ${LOCKS_FOR_DAYS} and restart PostgreSQL. See docs/operate/retention.md#days-instead-of-months.`,
    ),
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
