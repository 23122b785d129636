// Calls waiters when an intent or the deny list changes, from Postgres notifications over one connection. A notification may be lost
// with its connection, so every waiter is called after each reconnect. A waiter that must not miss a change also polls.
import pg from 'pg';

export type IntentWatcher = {
  /** Calls `onChange` whenever the intent, `ANY_INTENT` or `DENY_LIST` may have changed, until the returned function is called. */
  readonly watch: (changing: string, onChange: () => void) => () => void;
  readonly close: () => Promise<void>;
};

/** Channel of changes of the deny list; no intent has such an id. */
export const DENY_LIST = 'svc_denied';

/** Channel of changes of intents: those of all of them. */
export const ANY_INTENT = 'svc_intent';

const RECONNECT_MS = 500;
const CONNECT_TIMEOUT_MS = 5_000;

export function watchIntents(url: string, onProblem: (problem: Error) => void): IntentWatcher {
  const waiters = new Map<string, Set<() => void>>();
  let client: pg.Client | undefined;
  let closed = false;
  let reconnecting: NodeJS.Timeout | undefined;

  const tell = (callbacks: Iterable<() => void>) => {
    for (const callback of callbacks) callback();
  };
  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'svc-watch',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    next.on('notification', ({ channel, payload = '' }) => {
      tell(waiters.get(channel) ?? []);
      if (channel === ANY_INTENT) for (const changed of payload.split(',')) tell(waiters.get(changed) ?? []);
    });
    next.on('error', onProblem);
    next.on('end', () => {
      // A connection that ends before it listens fails in `start` below, which already reconnects.
      if (client !== next) return;
      client = undefined;
      startLater();
    });
    await next.connect();
    await next.query(`listen ${DENY_LIST}`);
    await next.query(`listen ${ANY_INTENT}`);
    if (closed) {
      await next.end();
      return;
    }
    client = next;
    for (const callbacks of waiters.values()) tell(callbacks);
  };
  const start = () => {
    if (closed) return;
    connect().catch((problem: unknown) => {
      onProblem(
        problem instanceof Error
          ? problem
          : new Error('the connection that listens for changes of intents failed', { cause: problem }),
      );
      startLater();
    });
  };
  const startLater = () => {
    if (!closed) reconnecting = setTimeout(start, RECONNECT_MS);
  };
  start();

  return {
    watch(changing, onChange) {
      const callbacks = waiters.get(changing) ?? new Set();
      waiters.set(changing, callbacks.add(onChange));
      return () => {
        callbacks.delete(onChange);
        if (callbacks.size === 0 && waiters.get(changing) === callbacks) waiters.delete(changing);
      };
    },
    async close() {
      closed = true;
      clearTimeout(reconnecting);
      await client?.end();
    },
  };
}
