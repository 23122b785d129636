// Pool of connections to endpoints: one request at a time each, kept briefly for the next. A connection belongs to one
// endpoint and lives at most a minute, so that DNS changes take effect.
import { callbackify } from 'node:util';
import type { EndpointTarget } from '@svc-pay/core';
import { Client } from 'undici';
import type { Dial, Phases } from './dial.ts';
import type { Over } from './time-limit.ts';

export type Connection = {
  readonly client: Client;
  /** Phases of connecting that the current request had to wait for. */
  readonly phases: Phases;
  /** Limits of the current request, for a reconnect in case the other side has closed the connection meanwhile. */
  urgency: Urgency;
  /** True once the connection has carried a request. */
  used: boolean;
  readonly openedMs: number;
};

/** Abort signal and time budget for opening a connection. */
type Urgency = { readonly over: Over; readonly budgetMs: number };

export type Connections = {
  readonly take: (endpointKey: string, target: EndpointTarget, urgency: Urgency, fresh: boolean) => Connection;
  /** Returns the connection to the pool. */
  readonly giveBack: (endpointKey: string, connection: Connection) => void;
  readonly close: () => Promise<void>;
};

const IDLE_MS = 4_000;
const LIFE_MS = 60_000;
const SWEEP_MS = 2_000;
const MAX_HEADER_BYTES = 16_384;

export function createConnections(dial: Dial): Connections {
  const idle = new Map<string, { connection: Connection; sinceMs: number }[]>();
  const drop = ({ client }: Connection) => {
    client.destroy().catch(() => {});
  };
  const sweep = setInterval(() => {
    const nowMs = performance.now();
    for (const [key, waiting] of idle) {
      const kept = waiting.filter(({ connection, sinceMs }) => {
        const good = nowMs - sinceMs < IDLE_MS && nowMs - connection.openedMs < LIFE_MS;
        if (!good) drop(connection);
        return good;
      });
      if (kept.length === 0) idle.delete(key);
      else idle.set(key, kept);
    }
  }, SWEEP_MS).unref();

  const open = (target: EndpointTarget, urgency: Urgency): Connection => {
    const phases: Phases = { address: null, dnsMs: null, connectMs: null, tlsMs: null };
    const client = new Client(target.origin, {
      connect: (_, callback) => {
        const { over, budgetMs } = connection.urgency;
        callbackify(dial)(target, phases, over, budgetMs, (problem: Error | null, socket) => {
          if (problem === null) callback(null, socket);
          else callback(problem, null);
        });
      },
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The whole request has one time budget instead.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // A connection that breaks while idle needs no report: the next request finds it broken.
    client.on('connectionError', () => {});
    const connection: Connection = { client, phases, urgency, used: false, openedMs: performance.now() };
    return connection;
  };

  return {
    take: (endpointKey, target, urgency, fresh) => {
      const found = fresh ? undefined : idle.get(endpointKey)?.pop();
      if (found === undefined || found.connection.client.destroyed) return open(target, urgency);
      const { connection } = found;
      connection.urgency = urgency;
      Object.assign(connection.phases, { dnsMs: null, connectMs: null, tlsMs: null });
      return connection;
    },
    giveBack: (endpointKey, connection) => {
      if (connection.client.destroyed || performance.now() - connection.openedMs > LIFE_MS) return drop(connection);
      connection.used = true;
      const waiting = idle.get(endpointKey) ?? [];
      waiting.push({ connection, sinceMs: performance.now() });
      idle.set(endpointKey, waiting);
    },
    close: async () => {
      clearInterval(sweep);
      const all = [...idle.values()].flat();
      idle.clear();
      await Promise.all(all.map(({ connection: { client } }) => client.destroy()));
    },
  };
}
