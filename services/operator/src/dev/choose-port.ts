import { createServer } from 'node:net';
import { freePort } from '@svc-pay/postgres/server';

/** The usual port if nobody has it, else any free one. */
export async function choosePort(usual: number): Promise<number> {
  return (await isFree(usual)) ? usual : freePort();
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
