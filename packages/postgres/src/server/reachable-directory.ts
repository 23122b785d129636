import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canReach, type ServerUser, serverUser } from './server-user.ts';

/**
 * `preferred`, or where that lies behind a folder which the server's user may not enter (root's own checkout), a
 * directory of the machine's temporary folder that is always the same for it.
 */
export function reachableDirectory(preferred: string, user: ServerUser | undefined = serverUser()): string {
  if (user === undefined) return preferred;
  let existing = path.resolve(preferred);
  while (!existsSync(existing)) existing = path.dirname(existing);
  // The directory itself belongs to the server's user as soon as it is made; what counts is the way there.
  if (canReach(user, existing)) return preferred;
  const name = createHash('sha256').update(path.resolve(preferred)).digest('hex').slice(0, 16);
  return path.join(tmpdir(), `svc-pay-data-${name}`);
}
