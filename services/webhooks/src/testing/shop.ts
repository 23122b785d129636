// Rows of a merchant with keys, endpoints and events.
import {
  createSecretBox,
  endpointContext,
  goesFirst,
  type MasterKey,
  type Mode,
  newEndpointSecret,
  newKey,
} from '@svc-pay/core';
import { createAccount } from '@svc-pay/postgres/operator';
import { insertRow } from '@svc-pay/postgres/testing';
import type { EventType } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';

export const MASTER_KEYS: readonly [MasterKey] = [{ number: 1, bytes: new Uint8Array(32).fill(9) }];
export const BOX = createSecretBox(MASTER_KEYS);
const PEPPER = new Uint8Array(32).fill(3);

type EndpointOptions = {
  readonly url: string;
  readonly eventTypes?: readonly string[];
  readonly retryCount?: number;
  readonly timeoutSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: string;
  readonly failingSince?: Date;
};

type ShopEndpoint = { readonly id: string; readonly secret: string };

export type Shop = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly secretKey: string;
  readonly keyId: string;
  readonly addEndpoint: (options: EndpointOptions) => Promise<ShopEndpoint>;
  /** Inserts an event with a due delivery to each endpoint. */
  readonly emit: (endpoints: readonly ShopEndpoint[], change?: EmitOptions) => Promise<string>;
};

type EmitOptions = {
  readonly atMs?: number;
  readonly body?: string;
  readonly sequence?: number;
  readonly type?: EventType;
};

export async function openShop(pool: pg.Pool, nowMs: number, mode: Mode = 'test'): Promise<Shop> {
  const accountId = newId('account', nowMs);
  const keys = (['test', 'live'] as const).flatMap((each) =>
    (['secret', 'publishable'] as const).map((kind) =>
      newKey({ pepper: PEPPER, box: BOX }, { accountId, mode: each }, kind, nowMs),
    ),
  );
  const operation = { pool, nowMs, actor: 'operator:test' };
  await createAccount(operation, { id: accountId, name: 'A shop', keys: keys.map(({ record }) => record) });
  const secret = keys.find(({ record }) => record.mode === mode && record.kind === 'secret');
  if (secret === undefined) throw new Error('no key');
  return {
    accountId,
    mode,
    secretKey: secret.text,
    keyId: secret.record.id,
    addEndpoint: async (options) => {
      const id = newId('endpoint', nowMs);
      const endpointSecret = newEndpointSecret((length) => crypto.getRandomValues(new Uint8Array(length)));
      const headers = options.headers === undefined ? null : JSON.stringify(options.headers);
      await insertRow(pool, 'endpoints', {
        account_id: accountId,
        mode,
        id,
        url: options.url,
        event_types: options.eventTypes ?? ['payment_intent.created'],
        retry_count: options.retryCount ?? 10,
        timeout_seconds: options.timeoutSeconds ?? 5,
        status: options.status ?? 'enabled',
        failing_since: options.failingSince ?? null,
        secret_ciphertext: BOX.seal(endpointSecret, endpointContext(accountId, id, 'endpoint-secret')),
        headers_ciphertext:
          headers === null ? null : BOX.seal(headers, endpointContext(accountId, id, 'endpoint-headers')),
      });
      return { id, secret: endpointSecret };
    },
    emit: async (endpoints, { atMs = nowMs, body, sequence = 1, type = 'payment_intent.created' } = {}) => {
      const id = newId('event', atMs);
      const at = new Date(atMs);
      const shared = { account_id: accountId, mode, created_at: at };
      await insertRow(pool, 'events', {
        ...shared,
        id,
        intent_id: newId('paymentIntent', atMs),
        sequence,
        type,
        body: Buffer.from(body ?? `{"id":"${id}","object":"event","note":"ünïcode"}`),
      });
      for (const endpoint of endpoints) {
        await insertRow(pool, 'deliveries', {
          ...shared,
          event_id: id,
          endpoint_id: endpoint.id,
          next_at: at,
          goes_first: goesFirst(type),
        });
      }
      return id;
    },
  };
}
