// A Restate that restarts at the same address, with or without its data.
import { rmSync } from 'node:fs';
import { freePorts, type RestateServer, startRestate } from '@svc-pay/engine/server';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';

export type MortalEngine = {
  readonly pid: () => number;
  readonly adminUrl: string;
  readonly ingressUrl: string;
  /** Kills and restarts the engine; `emptied` deletes all its data in between. */
  readonly restart: (how: 'killed' | 'emptied') => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function startMortalEngine(dataDirectory: string): Promise<MortalEngine> {
  const ports = await freePorts();
  const start = () => startRestate({ dataDirectory, ports, guard: killOnParentExit });
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
