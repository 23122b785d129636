// A merchant's server. Accepts a delivery only if its fields match the published text and two verifiers accept it: the
// one that merchants install, and one written only from the published text.
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endpointContext, newEndpointSecret } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { createReceiver } from '@svc-pay/server';
import { differencesFromTheText } from '@svc-pay/webhooks/testing/events-by-the-text';
import { verifyByTheText, verifyStandard } from '@svc-pay/webhooks/testing/verify-by-the-text';
import { afterAll } from 'vitest';
import { BOX, type Shop } from './open-shop.ts';
import type { World } from './start-world.ts';

export type Heard = {
  readonly headers: IncomingHttpHeaders;
  readonly sequence: number;
  readonly event: HeardEvent;
  /** Reasons for rejecting the delivery; empty if it was accepted. */
  readonly problems: readonly string[];
};

type HeardEvent = {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly data: {
    readonly object: Readonly<Record<string, unknown>>;
    readonly previous_attributes?: Readonly<Record<string, unknown>>;
  };
} & Readonly<Record<string, unknown>>;

export type MerchantEndpoint = {
  readonly heard: readonly Heard[];
  /** Deliveries of an intent, in order of the sequence. */
  readonly of: (paymentIntentId: string) => readonly Heard[];
};

export type EndpointOptions = {
  readonly eventTypes: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly shop?: Shop;
};

export async function openEndpoint(world: World, options: EndpointOptions): Promise<MerchantEndpoint> {
  const { accountId, secretKey } = options.shop ?? world.shop;
  const id = newId('endpoint', Date.now());
  const secret = newEndpointSecret((length) => crypto.getRandomValues(new Uint8Array(length)));
  const installed = [secretKey, secret].map((known) => createReceiver({ secrets: [known] }));
  const heard: Heard[] = [];
  const take = async ({ headers }: IncomingMessage, body: Buffer): Promise<number> => {
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const verdicts = await Promise.all(installed.map((receiver) => receiver.verify(body, headers)));
    const problems = [
      ...verdicts.flatMap((verdict) => (verdict.ok ? [] : [verdict.code])),
      ...(verifyByTheText(headers, body, secretKey, nowSeconds) ? [] : ['the text says that the signature is wrong']),
      ...(verifyStandard(headers, body, secret, nowSeconds) ? [] : ['the endpoint’s own signature is wrong']),
      ...differencesFromTheText(body),
    ];
    const event = JSON.parse(body.toString()) as HeardEvent;
    heard.push({ headers, sequence: Number(headers['x-svc-sequence']), event, problems });
    return problems.length === 0 ? 200 : 400;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void take(request, Buffer.concat(chunks)).then(
        (status) => response.writeHead(status).end(),
        (problem: unknown) => response.writeHead(500).end(String(problem)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const sealed = (text: string, purpose: 'endpoint-secret' | 'endpoint-headers') =>
    BOX.seal(text, endpointContext(accountId, id, purpose));
  await world.database.pool.query(
    `insert into svc.endpoints (
       account_id, mode, id, url, event_types, status, api_version, created_at, updated_at, secret_ciphertext,
       headers_ciphertext
     ) values ($1, 'test', $2, $3, $4, 'enabled', '2026-11-15', now(), now(), $5, $6)`,
    [
      accountId,
      id,
      `http://127.0.0.1:${port}/hooks`,
      options.eventTypes,
      sealed(secret, 'endpoint-secret'),
      options.headers === undefined ? null : sealed(JSON.stringify(options.headers), 'endpoint-headers'),
    ],
  );
  return {
    heard,
    of: (paymentIntentId) =>
      heard
        .filter(({ event: { data } }) => [data.object['paymentIntentId'], data.object['id']].includes(paymentIntentId))
        .toSorted((one, other) => one.sequence - other.sequence),
  };
}
