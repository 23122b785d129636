import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A loopback port that was free a moment ago. Another process may take it first, so the caller must be ready to retry.
 */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has no port');
  return address.port;
}
