import { createHash } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canReach, serverUser } from './server-user.ts';

/**
 * `wanted`, unless the user that the server runs as may not get there: root's own folders are closed to it. Then a place
 * among the temporary files, the same one for the same wish.
 */
export function reachableDirectory(wanted: string): string {
  const directory = path.resolve(wanted);
  const user = serverUser();
  if (user === undefined) return directory;
  const parent = path.dirname(directory);
  mkdirSync(parent, { recursive: true });
  if (canReach(user, parent)) return directory;

  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  const home = path.join(tmpdir(), `svc-pay-${name}`);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  // Anybody may have taken the name before us: its owner tells.
  if (statSync(home).uid !== process.getuid?.()) throw new Error(`${home} belongs to somebody else`);
  return path.join(home, path.basename(directory));
}
