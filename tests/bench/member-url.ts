// The database as one service sees it: by a login of its own, with the rights of its role and under row security.
import { randomBytes } from 'node:crypto';
import type pg from 'pg';

export async function memberUrl(
  database: Pick<pg.Pool | pg.Client, 'query'>,
  ownerUrl: string,
  service: string,
): Promise<string> {
  const password = randomBytes(8).toString('hex');
  await database.query(`create role bench_${service} login password '${password}' in role svc_${service}`);
  return Object.assign(new URL(ownerUrl), { username: `bench_${service}`, password }).href;
}
