// A process's part in the engine: it serves its objects to the engine and tells the engine where they are.
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import * as restate from '@restatedev/restate-sdk';
import { type Drain, drainObject } from './drain.ts';
import { freeStranded } from './free-stranded.ts';
import { createGate } from './gate.ts';
import { post } from './post.ts';
import { type Pulse, pulseObject } from './pulse.ts';
import { isServedElsewhere } from './served-elsewhere.ts';

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
  /** How long no pulse may be heard; 20 seconds unless told. */
  readonly silenceMs?: number;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', message: string) => void;
};

export type EngineWork = {
  readonly url: string;
  /** Tells the engine, again if need be, what this process serves, and starts the pulses. Throws when it is out of reach. */
  readonly register: () => Promise<void>;
  /**
   * Registers now, and again whenever the engine has forgotten this process or a pulse has fallen silent: after its data
   * was lost, or when it came up later than we did. Decides nothing but that; `stop` ends it.
   */
  readonly keepRegistered: () => void;
  /** Whether the engine knew this process when it was last asked. */
  readonly isRegistered: () => boolean;
  /** What runs is ended and the rest put off, for a few seconds at most; who else serves the engine goes on with it. */
  readonly stop: () => Promise<void>;
};

const LEVELS = { trace: 'debug', debug: 'debug', info: 'debug', warn: 'warn', error: 'error' } as const;
const PULSE_KEY = 'one';
const REQUEST_TIMEOUT_MS = 5_000;
const LOOK_MS = 1_000;
const SILENCE_MS = 20_000;
const LEAVE_MS = 5_000;
const LAST_WORDS_MS = 1_000;

export async function serveEngineWork(options: EngineWorkOptions): Promise<EngineWork> {
  let lastBeatMs = performance.now();
  const gate = createGate();
  const heard = (pulse: Pulse): Pulse => ({
    ...pulse,
    beat: async () => {
      lastBeatMs = performance.now();
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
  const register = async () => {
    await post(`${options.adminUrl}/deployments`, { uri: url, force: true });
    for (const { name } of options.pulses) await post(`${options.ingressUrl}/${name}/${PULSE_KEY}/start/send`);
    lastBeatMs = performance.now();
  };
  const names = [...options.drains, ...options.pulses].map(({ name }) => name);
  let registered = false;
  let looking: NodeJS.Timeout | undefined;
  const look = async () => {
    const [pulse] = options.pulses;
    const silent = pulse !== undefined && performance.now() - lastBeatMs > (options.silenceMs ?? SILENCE_MS);
    if (registered && (await knowsAll(options.adminUrl, names))) {
      const freed = await freeStranded(options.adminUrl, names, url);
      if (freed > 0) options.log('warn', `${freed} pieces of work waited for a process that is gone`);
      if (!silent || (await isServedElsewhere(options.adminUrl, pulse.name, url))) return;
    }
    registered = false;
    await register();
    registered = true;
    options.log('info', 'registered with the engine');
  };
  const lookAgain = () => {
    look()
      .catch((problem: unknown) => options.log('warn', `the engine is out of reach: ${String(problem)}`))
      .finally(() => {
        if (looking !== undefined) looking = setTimeout(lookAgain, LOOK_MS);
      });
  };
  return {
    url,
    register,
    keepRegistered: () => {
      looking ??= setTimeout(lookAgain, 0);
    },
    isRegistered: () => registered,
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

async function knowsAll(adminUrl: string, names: readonly string[]): Promise<boolean> {
  const response = await fetch(`${adminUrl}/services`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the engine answered ${response.status}`);
  const { services } = (await response.json()) as { services: readonly { readonly name: string }[] };
  return names.every((name) => services.some((known) => known.name === name));
}
