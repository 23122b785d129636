// What a run left behind, as a stranger reads it: rows of the database, the receiver's log, and what the run says it did.
import pg from 'pg';
import { linesOf } from './read-lines.ts';

export type Attempt = {
  readonly number: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly startedMs: number;
  readonly totalMs: number;
  readonly firstByteMs: number | null;
  readonly nextMs: number | null;
};

export type Arrival = {
  readonly at: number;
  readonly endpoint: string;
  readonly event: string;
  readonly sequence: string;
  readonly signature: string;
  readonly body: string;
  readonly mood: string;
};

export type Delivery = {
  readonly event: string;
  readonly endpoint: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly createdMs: number;
  readonly attempts: readonly Attempt[];
  readonly arrivals: readonly Arrival[];
};

type StoredEvent = {
  readonly id: string;
  readonly intent: string;
  readonly sequence: number;
  readonly body: Buffer;
};

export type Evidence = {
  /** Those of endpoints that are on. */
  readonly deliveries: readonly Delivery[];
  readonly events: ReadonlyMap<string, StoredEvent>;
  /** Of which the database said that it has them. */
  readonly emitted: readonly string[];
  /** Of deliveries that nobody ordered. */
  readonly strayArrivals: number;
  readonly secretKey: string;
  readonly timeoutMs: number;
  /** When a sender stood still: nothing it did then was in time. */
  readonly freezes: readonly { readonly fromMs: number; readonly untilMs: number }[];
};

type HistoryLine = { readonly what: string } & Readonly<Record<string, unknown>>;

export async function readEvidence(databaseUrl: string, receiverLog: string, historyFile: string): Promise<Evidence> {
  const history = linesOf<HistoryLine>(historyFile);
  const merchant = history.find(({ what }) => what === 'merchant');
  if (merchant === undefined) throw new Error('the history names no merchant');
  const arrivals = Map.groupBy(linesOf<Arrival>(receiverLog), ({ event, endpoint }) => `${event} ${endpoint}`);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const attempts = Map.groupBy((await client.query<AttemptRow>(ATTEMPTS)).rows, ({ key }) => key);
    const { rows } = await client.query<DeliveryRow>(DELIVERIES);
    const events = (await client.query<StoredEvent>(EVENTS)).rows;
    const known = new Set(rows.map(({ key }) => key));
    return {
      deliveries: rows.map(({ key, ...delivery }) => ({
        ...delivery,
        attempts: attempts.get(key) ?? [],
        arrivals: arrivals.get(key) ?? [],
      })),
      events: new Map(events.map((event) => [event.id, event])),
      emitted: history.flatMap(({ what, ...facts }) => (what === 'emitted' ? (facts['events'] as string[]) : [])),
      strayArrivals: [...arrivals.keys()].filter((key) => !known.has(key)).length,
      secretKey: String(merchant['secretKey']),
      timeoutMs: Number(merchant['timeoutMs']),
      freezes: history
        .filter(({ what, ...facts }) => what === 'fault' && String(facts['kind']).includes('frozen'))
        .map((facts) => ({ fromMs: Number(facts['fromMs']), untilMs: Number(facts['untilMs']) })),
    };
  } finally {
    await client.end();
  }
}

type AttemptRow = Attempt & { readonly key: string };
type DeliveryRow = Omit<Delivery, 'attempts' | 'arrivals'> & { readonly key: string };

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const ATTEMPTS = `
  select event_id || ' ' || endpoint_id as key, attempt as number, outcome, response_status as status, error,
    ${ms('started_at')} as "startedMs", total_ms as "totalMs", first_byte_ms as "firstByteMs", ${ms('next_at')} as "nextMs"
  from svc.delivery_attempts order by attempt`;
const DELIVERIES = `
  select d.event_id || ' ' || d.endpoint_id as key, d.event_id as event, d.endpoint_id as endpoint, d.status,
    d.attempt_count as "attemptCount", ${ms('d.created_at')} as "createdMs"
  from svc.deliveries d
  join svc.endpoints e on e.account_id = d.account_id and e.mode = d.mode and e.id = d.endpoint_id
  where e.status = 'enabled'`;
const EVENTS = 'select id, intent_id as intent, sequence, body from svc.events';
