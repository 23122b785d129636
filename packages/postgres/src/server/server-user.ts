// PostgreSQL refuses to run as root. Started by root, it runs as the machine's `postgres` user, or as `nobody` where
// there is none: both are in the user database, which initdb insists on, and neither has to be created.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export type ServerUser = { readonly name: string; readonly uid: number; readonly gid: number };

/** The user that the server must run as; undefined when it may run as the current user. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [name, , uid, gid] = users.find(([name]) => name === wanted) ?? [];
    if (name !== undefined && uid !== undefined && gid !== undefined) {
      return { name, uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) };
    }
  }
  throw new Error('PostgreSQL does not run as root, and this machine has neither a postgres nor a nobody user');
}

/** True when `user` may enter `directory` and every folder above it. */
export function canReach(user: ServerUser, directory: string): boolean {
  for (let folder = path.resolve(directory); ; folder = path.dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const through = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & through) === 0) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

/** Options for `spawn` to run a program as the server's user. */
export function identity(user: ServerUser | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid };
}
