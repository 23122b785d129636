import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterwards } from './afterwards.ts';

/** Database URL of a new role that has only the rights of `group`, as a service has in production. */
export async function createLogin(owner: pg.Pool, url: string, group: string): Promise<string> {
  const [role, password] = [`${group}_${randomBytes(6).toString('hex')}`, randomBytes(12).toString('hex')];
  await owner.query(`create role ${role} login password '${password}' in role ${group}`);
  afterwards(() => owner.query(`drop role ${role}`));
  const own = new URL(url);
  own.username = role;
  own.password = password;
  return own.href;
}

/** A pool of a role that has only the rights of `group`. */
export async function logInAs(owner: pg.Pool, url: string, group: string): Promise<pg.Pool> {
  const opened = new pg.Pool({ connectionString: await createLogin(owner, url, group), max: 2 });
  // `end` does not wait until the last socket is closed, and dropping the database breaks it: that error is expected.
  opened.on('error', () => {});
  afterwards(() => opened.end());
  return opened;
}
