// A process's part in the engine: it serves its objects to the engine and tells the engine where they are.
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import * as restate from '@restatedev/restate-sdk';
import { type Drain, drainObject } from './drain.ts';
import { post } from './post.ts';
import { type Pulse, pulseObject } from './pulse.ts';

export type EngineWorkOptions = {
  readonly drains: readonly Drain[];
  readonly pulses: readonly Pulse[];
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Under which the engine reaches this process; by default where it listens. */
  readonly advertisedUrl?: string;
  /** Public keys of the engines that may call; without one anybody who reaches the port may. */
  readonly identityKeys: readonly string[];
  readonly adminUrl: string;
  readonly ingressUrl: string;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', message: string) => void;
};

export type EngineWork = {
  readonly url: string;
  /** Tells the engine, again if need be, what this process serves, and starts the pulses. Throws when it is out of reach. */
  readonly register: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const LEVELS = { trace: 'debug', debug: 'debug', info: 'info', warn: 'warn', error: 'error' } as const;
const PULSE_KEY = 'one';

export async function serveEngineWork(options: EngineWorkOptions): Promise<EngineWork> {
  const server = createServer(
    restate.createEndpointHandler({
      services: [...options.drains.map(drainObject), ...options.pulses.map(pulseObject)],
      logger: (meta, ...message) => {
        if (meta.replaying) return;
        options.log(LEVELS[meta.level], message.map(String).join(' '));
      },
      ...(options.identityKeys.length > 0 && { identityKeys: [...options.identityKeys] }),
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
  const sessions = new Set<{ destroy: () => void }>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const url = options.advertisedUrl ?? `http://${options.host}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    register: async () => {
      await post(`${options.adminUrl}/deployments`, { uri: url, force: true });
      for (const { name } of options.pulses) await post(`${options.ingressUrl}/${name}/${PULSE_KEY}/start/send`);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}
