// Test world without the engine: a database, a sender, a clock that the test moves, and turns that the test starts.

import { openDatabase } from '@svc-pay/postgres';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { createDeliveryStore } from '@svc-pay/postgres/webhooks-service';
import { createLogger } from '@svc-pay/runtime/logging';
import type pg from 'pg';
import { readWebhooksConfig, type WebhooksConfig } from '../config.ts';
import { createSending, type RunningDispatch } from '../start.ts';
import { afterwards } from './receiver.ts';
import { MASTER_KEYS, openShop, type Shop } from './shop.ts';

type DeliveryRow = {
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly status: string;
  readonly attempt_count: number;
  readonly uncharged_count: number;
  readonly next_at: Date | number | null;
  readonly lease_until: Date | null;
  readonly reason: string | null;
  readonly goes_first: boolean;
};

type AttemptRow = {
  readonly event_id: string;
  readonly attempt: number;
  readonly outcome: string;
  readonly response_status: number | null;
  readonly address: string | null;
  readonly dns_ms: number | null;
  readonly connect_ms: number | null;
  readonly tls_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly total_ms: number;
  readonly request_headers: Record<string, string>;
  readonly response_headers: Record<string, string>;
  readonly response_excerpt: Buffer | null;
  readonly error: string | null;
  readonly next_at: Date | null;
};

export type World = {
  /** Superuser pool for assertions, with default planner settings. */
  readonly pool: pg.Pool;
  /** Pool with the rights and settings of the service. */
  readonly servicePool: pg.Pool;
  readonly shop: Shop;
  readonly clock: { nowMs: () => number; move: (ms: number) => void };
  readonly sending: RunningDispatch;
  /** Starts a second process. */
  readonly join: () => RunningDispatch;
  /** Runs turns until no delivery is due and no request is running. */
  readonly settle: (sending?: RunningDispatch) => Promise<void>;
  readonly delivery: (eventId: string, endpointId?: string) => Promise<DeliveryRow>;
  readonly attempts: (eventId: string) => Promise<readonly AttemptRow[]>;
};

export type WorldOptions = {
  readonly environment?: Readonly<Record<string, string>>;
  readonly mode?: 'live' | 'test';
  readonly ca?: string;
};

export const START_MS = 1_794_744_000_000;

function testConfig(environment: Readonly<Record<string, string>> = {}): WebhooksConfig {
  const read = readWebhooksConfig({
    SVC_DATABASE_URL: 'postgres://none@127.0.0.1/none',
    SVC_MASTER_KEYS: `1:${Buffer.from(MASTER_KEYS[0].bytes).toString('base64')}`,
    SVC_WEBHOOKS_MODES: 'test',
    SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on',
    SVC_WEBHOOKS_SHARDS: '1',
    SVC_LOG_LEVEL: 'error',
    ...environment,
  });
  if (!read.ok) throw new Error(read.problems.join('; '));
  return read.config;
}

export async function startDeliveryWorld({ environment, mode = 'test', ca }: WorldOptions = {}): Promise<World> {
  const { pool, url } = await createTestDatabase();
  let nowMs = START_MS;
  const clock = { nowMs: () => nowMs, move: (ms: number) => void (nowMs += ms) };
  const config = testConfig(environment);
  const shop = await openShop(pool, nowMs, mode);
  const openServiceDatabase = () =>
    openDatabase(url, {
      applicationName: 'svc-webhooks-test',
      maxConnections: 4,
      statementTimeoutMs: 10_000,
      byKeys: true,
      readInOrder: true,
      onConnectionLost: () => {},
    });
  const join = (database = openServiceDatabase()) => {
    const logger = createLogger('webhooks', 'error');
    const sending = createSending(config, {
      database,
      clock,
      logger,
      random: () => 0.5,
      turnMs: 40,
      ...(ca !== undefined && { ca }),
    });
    afterwards(async () => {
      await sending.dispatcher.stop(0);
      await sending.close();
      await database.close();
    });
    return sending;
  };
  const own = openServiceDatabase();
  const sending = join(own);
  const never = new AbortController().signal;
  return {
    pool,
    servicePool: own.pool,
    shop,
    clock,
    sending,
    join: () => join(),
    settle: async (of = sending) => {
      const shard = { drain: 'test', index: 0, count: 1 };
      const epoch = await createDeliveryStore(pool).takeOverShard(shard, nowMs);
      for (;;) {
        await of.dispatcher.turn({ ...shard, epoch }, never);
        const { rows } = await pool.query(
          `select from svc.deliveries where status = 'pending' and (lease_until is not null or next_at <= $1) limit 1`,
          [new Date(nowMs)],
        );
        if (rows.length === 0) return;
      }
    },
    delivery: async (eventId, endpointId) => {
      const { rows } = await pool.query<DeliveryRow>(
        'select * from svc.deliveries where event_id = $1 and ($2::text is null or endpoint_id = $2)',
        [eventId, endpointId ?? null],
      );
      const [row] = rows;
      if (row === undefined || rows.length !== 1) throw new Error(`${rows.length} deliveries`);
      return row;
    },
    attempts: async (eventId) => {
      const { rows } = await pool.query<AttemptRow>(
        'select * from svc.delivery_attempts where event_id = $1 order by attempt',
        [eventId],
      );
      return rows;
    },
  };
}
