// The deny list in the memory of this process. It is read again when the database announces a change, and every moment in
// case the announcement was lost. While the database does not answer, the last list holds, and its entries end at their
// time. Streams that are open are looked at in the same rhythm: they end when their key has ended.
//
// While no request arrives and no stream is open, the list is compared seldom. The first requests after that wait for one
// comparison, for a fraction of a second at most; all others wait for nothing.
import {
  type Caller,
  type Clock,
  createAddressHasher,
  createDenyList,
  type DeniedEntry,
  type Peppers,
} from '@svc-pay/core';
import type { LoadedDenyList } from '@svc-pay/postgres';

type HeldKey = Pick<Caller, 'accountId' | 'mode' | 'keyId'>;

/** A stream that stays open while neither its address nor its key is denied, and its key is valid. */
type OpenConnection = { readonly address: string; readonly key: HeldKey; readonly end: () => void };

export type Denials = {
  /** `address`: text of the client's address, as Fastify gives it. */
  readonly isAddressDenied: (address: string) => boolean;
  readonly isKeyDenied: (keyId: string) => boolean;
  readonly isPayerDenied: (payer: string) => boolean;
  /** A request arrived: before it is judged, the list is current again if nobody needed it for a while. */
  readonly arrive: () => Promise<void> | undefined;
  /** Ends the connection when it is denied or its key has ended. Returns the function to forget it. */
  readonly hold: (connection: OpenConnection) => () => void;
  /** Name of the client in log lines and counts. */
  readonly hashOf: (address: string) => string;
};

export type FollowedDenials = Denials & {
  /** Reads the list now. Never throws. */
  readonly refresh: () => Promise<void>;
  readonly entries: () => number;
  /** Time since the list was last known to be current. */
  readonly ageMs: () => number;
  readonly stop: () => Promise<void>;
};

export type DenialOptions = {
  readonly clock: Clock;
  readonly peppers: Peppers;
  readonly load: (version: string | null) => Promise<LoadedDenyList | undefined>;
  /** The ids of those keys that are revoked, have expired, or whose account is closed. */
  readonly findEndedKeys: (keys: readonly HeldKey[], nowMs: number) => Promise<ReadonlySet<string>>;
  readonly onProblem: (problem: unknown) => void;
};

/** Below a second with the time of the statement. */
const POLL_MS = 800;
/** Without requests for this long, the list is read only every `REST_MS`: below what the alert DenyListOld tolerates. */
const CALM_AFTER_MS = 5_000;
const REST_MS = 10_000;
/** Requests wait no longer: the last list judges them. */
const PATIENCE_MS = 250;

export function followDenials({ clock, peppers, load, findEndedKeys, onProblem }: DenialOptions): FollowedDenials {
  const [hash, ...olderHashes] = [
    createAddressHasher(peppers[0]),
    ...peppers.slice(1).map(createAddressHasher),
  ] as const;
  const hashOf = (address: string) => hash(address, clock.nowMs());
  // A hash that was denied today may have been made with the pepper before this one.
  const deniesAddress = (address: string) =>
    list.deniesAddress(address, hashOf) ||
    olderHashes.some((older) => list.deniesAddress(address, (text) => older(text, clock.nowMs())));
  const held = new Set<OpenConnection>();
  let entries: readonly DeniedEntry[] = [];
  let list = createDenyList(entries, clock.nowMs());
  let version: string | null = null;
  let currentAtMs = clock.nowMs();
  let reading: Promise<void> | undefined;
  let again = false;
  let failing = false;
  let arrivedMs = performance.now();
  let readMs = Number.NEGATIVE_INFINITY;
  let resting = false;
  let waking: Promise<void> | undefined;

  const build = () => {
    list = createDenyList(entries, clock.nowMs());
    for (const connection of held) if (isDenied(connection)) connection.end();
  };
  const isDenied = ({ address, key }: OpenConnection) => list.deniesKey(key.keyId) || deniesAddress(address);

  async function endStreamsOfEndedKeys(): Promise<void> {
    if (held.size === 0) return;
    const keys = new Map([...held].map(({ key }) => [key.keyId, key]));
    const ended = await findEndedKeys([...keys.values()], clock.nowMs());
    for (const { key, end } of held) if (ended.has(key.keyId)) end();
  }

  async function read(): Promise<void> {
    readMs = performance.now();
    try {
      const loaded = await load(version);
      currentAtMs = clock.nowMs();
      if (loaded !== undefined) {
        ({ version, entries } = loaded);
        build();
      }
      await endStreamsOfEndedKeys();
      failing = false;
    } catch (problem) {
      if (!failing) onProblem(problem);
      failing = true;
    }
    if (list.changesAtMs <= clock.nowMs()) build();
  }

  async function refresh(): Promise<void> {
    again = true;
    reading ??= (async () => {
      while (again) {
        again = false;
        await read();
      }
      reading = undefined;
    })();
    return reading;
  }

  function tick(): void {
    resting = held.size === 0 && performance.now() - arrivedMs > CALM_AFTER_MS;
    if (!resting || performance.now() - readMs >= REST_MS) void refresh();
  }

  async function wake(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const lateTimer = setTimeout(late.resolve, PATIENCE_MS);
    await Promise.race([refresh(), late.promise]);
    clearTimeout(lateTimer);
    waking = undefined;
  }

  const timer = setInterval(tick, POLL_MS);
  timer.unref();
  return {
    isAddressDenied: deniesAddress,
    isKeyDenied: (keyId) => list.deniesKey(keyId),
    isPayerDenied: (payer) => list.deniesPayer(payer),
    arrive() {
      arrivedMs = performance.now();
      if (resting) {
        resting = false;
        waking = wake();
      }
      return waking;
    },
    hold(connection) {
      held.add(connection);
      if (isDenied(connection)) connection.end();
      return () => held.delete(connection);
    },
    hashOf,
    refresh,
    entries: () => list.size,
    ageMs: () => clock.nowMs() - currentAtMs,
    async stop() {
      clearInterval(timer);
      await reading;
    },
  };
}
