import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll } from 'vitest';

/** A pool of a role that has only the rights of `group`. */
export async function logInAs(owner: pg.Pool, url: string, group: string): Promise<pg.Pool> {
  const [role, password] = [`thief_${randomBytes(6).toString('hex')}`, randomBytes(12).toString('hex')];
  await owner.query(`create role ${role} login password '${password}' in role ${group}`);
  const own = new URL(url);
  own.username = role;
  own.password = password;
  const opened = new pg.Pool({ connectionString: own.href, max: 2 });
  // `end` does not wait until the last socket is closed, and dropping the database breaks it: that error is expected.
  opened.on('error', () => {});
  afterAll(async () => {
    await opened.end();
    await owner.query(`drop role ${role}`);
  });
  return opened;
}
