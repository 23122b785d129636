// A process's part in the engine: it serves its objects to the engine and tells the engine where they are.
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import * as restate from '@restatedev/restate-sdk';
import { type Drain, drainObject } from './drain.ts';
import { createGate } from './gate.ts';
import { createRegistration } from './keep-registered.ts';
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
  /** Of every node of the engine, in any order. */
  readonly adminUrls: readonly string[];
  readonly ingressUrls: readonly string[];
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', message: string) => void;
};

export type EngineWork = {
  readonly url: string;
  /** Tells the engine, again if need be, what this process serves, and starts the pulses. Throws when it is out of reach. */
  readonly register: () => Promise<void>;
  /**
   * Registers now, and again whenever the engine has forgotten this work, its pulses have fallen silent, or another process
   * that had it does not answer: then what waited for that one goes on here. `stop` ends it.
   */
  readonly keepRegistered: () => void;
  /** Whether the engine knew this work when it was last asked. */
  readonly isRegistered: () => boolean;
  /** What runs is ended and the rest put off, for a few seconds at most; who else serves the engine goes on with it. */
  readonly stop: () => Promise<void>;
};

const LEVELS = { trace: 'debug', debug: 'debug', info: 'debug', warn: 'warn', error: 'error' } as const;
const LOOK_MS = 1_000;
const LEAVE_MS = 5_000;
const LAST_WORDS_MS = 1_000;

export async function serveEngineWork(options: EngineWorkOptions): Promise<EngineWork> {
  const gate = createGate();
  const heard = (pulse: Pulse): Pulse => ({
    ...pulse,
    beat: async () => {
      registration.heard();
      await pulse.beat();
    },
  });
  const server = createServer(
    restate.createEndpointHandler({
      services: [
        ...options.drains.map((drain) => drainObject(drain, gate)),
        ...options.pulses.map((pulse) => pulseObject(heard(pulse), gate)),
      ],
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
  const sessions = new Set<{ close: () => void; destroy: () => void }>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const url = options.advertisedUrl ?? `http://${options.host}:${(server.address() as AddressInfo).port}`;
  const registration = createRegistration({
    url,
    adminUrls: options.adminUrls,
    ingressUrls: options.ingressUrls,
    drains: options.drains.map(({ name }) => name),
    pulses: options.pulses.map(({ name }) => name),
    log: options.log,
  });
  let looking: NodeJS.Timeout | undefined;
  const lookAgain = () => {
    registration
      .look()
      .catch((problem: unknown) => options.log('warn', `the engine is out of reach: ${String(problem)}`))
      .finally(() => {
        if (looking !== undefined) looking = setTimeout(lookAgain, LOOK_MS);
      });
  };
  return {
    url,
    register: registration.register,
    keepRegistered: () => {
      looking ??= setTimeout(lookAgain, 0);
    },
    isRegistered: registration.isRegistered,
    stop: async () => {
      clearTimeout(looking);
      looking = undefined;
      await gate.leave(LEAVE_MS);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        // What ended is still on its way to the engine; cut off, it would not have ended.
        for (const session of sessions) session.close();
        setTimeout(() => {
          for (const session of sessions) session.destroy();
        }, LAST_WORDS_MS).unref();
      });
    },
  };
}
