// Where the Debian root of the container tools is kept, for machines that share one between checkouts.
import path from 'node:path';

/** `SVC_CONTAINERS_CACHE`, or a folder of this checkout. */
export function containersCache(): string {
  const given = process.env['SVC_CONTAINERS_CACHE'] ?? '';
  return path.resolve(given === '' ? '.cache/containers' : given);
}
