// Serves the drains and periodic jobs of a process to the engine, and registers where they are.
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import * as restate from '@restatedev/restate-sdk';
import type { PeriodicJob } from '@svc-pay/core';
import { type Drain, drainObject } from './drain.ts';
import { createGate } from './graceful-drain.ts';
import { createRegistration, type EngineLogEvent } from './keep-registered.ts';
import { jobObject } from './periodic-job.ts';

export type EngineWorkOptions = {
  readonly drains: readonly Drain[];
  readonly jobs: readonly PeriodicJob[];
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Address under which the engine reaches this process; by default the one it listens on. */
  readonly advertisedUrl?: string;
  /** Public keys of the engines that may call; when empty, anybody who reaches the port may call. */
  readonly identityKeys: readonly string[];
  /** Addresses of every engine node, in any order. */
  readonly adminUrls: readonly string[];
  readonly ingressUrls: readonly string[];
  readonly log: (event: EngineLogEvent, details: object) => void;
};

export type EngineWork = {
  readonly url: string;
  /** Registers the drains and jobs, again if need be, and starts the jobs. Throws when the engine is out of reach. */
  readonly register: () => Promise<void>;
  /**
   * Registers now, and again whenever the engine has forgotten this work, its periodic jobs have fallen silent, or the
   * process that had the work does not answer; the work of that process then continues here. `stop` ends it.
   */
  readonly keepRegistered: () => void;
  /** Whether the engine knew this work at the last check. */
  readonly isRegistered: () => boolean;
  /** Lets running work finish and delays the rest, for a few seconds at most; other processes continue it. */
  readonly stop: () => Promise<void>;
};

const EVENTS = {
  trace: 'engine_debug',
  debug: 'engine_debug',
  info: 'engine_debug',
  warn: 'engine_warning',
  error: 'engine_error',
} as const;
const LEAVE_MS = 5_000;
const LAST_WORDS_MS = 1_000;

export async function serveEngineWork(options: EngineWorkOptions): Promise<EngineWork> {
  const gate = createGate();
  const heard = (job: PeriodicJob): PeriodicJob => ({
    ...job,
    run: async () => {
      registration.heard();
      await job.run();
    },
  });
  const startJob = async (name: string) => {
    try {
      await registration.startJob(name);
    } catch (problem) {
      lookSoon();
      throw problem;
    }
  };
  const server = createServer(
    restate.createEndpointHandler({
      services: [
        ...options.drains.map((drain) => drainObject(drain, gate)),
        ...options.jobs.map((job) => jobObject(heard(job), gate, () => startJob(job.name))),
      ],
      logger: (meta, ...message) => {
        if (meta.replaying) return;
        options.log(EVENTS[meta.level], { text: message.map(String).join(' ') });
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
    let carried = false;
    session.once('stream', () => {
      carried = true;
    });
    session.once('close', () => {
      sessions.delete(session);
      // The engine may have ended, and may come back without its data. Those who ask whether this process lives carry nothing.
      if (carried) lookSoon();
    });
  });
  const url = options.advertisedUrl ?? `http://${options.host}:${(server.address() as AddressInfo).port}`;
  const registration = createRegistration({
    url,
    adminUrls: options.adminUrls,
    ingressUrls: options.ingressUrls,
    drains: options.drains.map(({ name }) => name),
    jobs: options.jobs,
    log: options.log,
  });
  let looking: NodeJS.Timeout | undefined;
  let isLooking = false;
  const lookLater = () => {
    if (looking === undefined || isLooking) return;
    clearTimeout(looking);
    looking = setTimeout(lookAgain, registration.pauseMs());
  };
  const lookSoon = () => {
    registration.suspect();
    lookLater();
  };
  const lookAgain = () => {
    isLooking = true;
    registration
      .check()
      .catch((problem: unknown) => options.log('engine_unreachable', { url, err: problem }))
      .finally(() => {
        isLooking = false;
        lookLater();
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
        // Results are still on their way to the engine; a cut-off result would not count.
        for (const session of sessions) session.close();
        setTimeout(() => {
          for (const session of sessions) session.destroy();
        }, LAST_WORDS_MS).unref();
      });
    },
  };
}
