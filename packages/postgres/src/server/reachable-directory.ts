import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canReach, type ServerUser, serverUser } from './server-user.ts';

/**
 * Returns `preferred`, or, if the server's user may not enter a folder above it (a checkout of root), a directory in
 * the temporary folder that is always the same for `preferred`.
 */
export function reachableDirectory(preferred: string, user: ServerUser | undefined = serverUser()): string {
  if (user === undefined) return preferred;
  let existing = path.resolve(preferred);
  while (!existsSync(existing)) existing = path.dirname(existing);
  // The server's user owns the directory itself once it exists, so only the folders above it are checked.
  if (canReach(user, existing)) return preferred;
  const name = createHash('sha256').update(path.resolve(preferred)).digest('hex').slice(0, 16);
  return path.join(tmpdir(), `svc-pay-data-${name}`);
}
