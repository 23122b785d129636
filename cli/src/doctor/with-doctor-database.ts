import { type Database, openDatabase } from '@svc-pay/postgres';

const TIMEOUT_MS = 10_000;

/** One connection for one check, closed at its end. A connection that is lost fails the statement that used it. */
export async function withDoctorDatabase<Found>(
  url: string,
  check: (database: Database) => Promise<Found>,
  statementTimeoutMs = TIMEOUT_MS,
): Promise<Found> {
  const database = openDatabase(url, {
    applicationName: 'svc-doctor',
    maxConnections: 1,
    statementTimeoutMs,
    onConnectionLost: () => {},
  });
  try {
    return await check(database);
  } finally {
    await database.close();
  }
}
