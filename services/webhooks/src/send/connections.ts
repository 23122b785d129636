// Open connections to endpoints, each for one request at a time, kept a little while for the next. A connection belongs to
// one endpoint alone and lives a minute at most, so that a changed name is followed.
import { callbackify } from 'node:util';
import type { EndpointTarget } from '@svc-pay/core';
import { Client } from 'undici';
import type { Dial, Phases } from './dial.ts';

export type Connection = {
  readonly client: Client;
  /** Of the connection as far as the request that holds it had to make it. */
  readonly phases: Phases;
  /** Of the request that holds it: the other side may have closed it meanwhile, and then it is made anew. */
  urgency: Urgency;
  /** Has carried a request before. */
  used: boolean;
  readonly openedMs: number;
};

/** What making a connection has to know. */
type Urgency = { readonly over: AbortSignal; readonly budgetMs: number };

export type Connections = {
  readonly take: (endpointKey: string, target: EndpointTarget, urgency: Urgency, fresh: boolean) => Connection;
  /** For the next request. */
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
      // The time of a request is watched as a whole.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // A connection that breaks while idle is no news: it is found broken when it is wanted.
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
