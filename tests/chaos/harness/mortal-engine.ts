// A Restate that comes back under its address, with what it knew or without.
import { rmSync } from 'node:fs';
import { freePorts, type RestateServer, startRestate } from '@svc-pay/engine/server';
import { guardAgainstOutliving } from '@svc-pay/operator/outlive-guard';

export type MortalEngine = {
  readonly pid: () => number;
  readonly adminUrl: string;
  readonly ingressUrl: string;
  /** Killed, and begun again; `emptied` has lost all its data in between. */
  readonly restart: (how: 'killed' | 'emptied') => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function startMortalEngine(dataDirectory: string): Promise<MortalEngine> {
  const ports = await freePorts();
  const start = () => startRestate({ dataDirectory, ports, guard: guardAgainstOutliving });
  let server: RestateServer = await start();
  return {
    pid: () => server.pid,
    adminUrl: server.adminUrl,
    ingressUrl: server.ingressUrl,
    restart: async (how) => {
      await server.stop('SIGKILL');
      if (how === 'emptied') rmSync(dataDirectory, { recursive: true, force: true });
      server = await start();
    },
    stop: () => server.stop('SIGKILL'),
  };
}
