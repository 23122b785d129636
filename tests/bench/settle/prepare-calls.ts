// Intents and signed headers, made before any clock runs, as the bytes that go over the wire. The API that settles them makes
// the intents too: what one costs belongs to its payment.
import { Pool } from 'undici';
import type { Address } from 'viem';
import { type Metered, startMeters } from '../meters/meters.ts';
import type { Payers } from './payers.ts';
import type { SettleWorld } from './settle-world.ts';

export type SettleCall = { readonly intentId: string; readonly bytes: Buffer };

const CONNECTIONS = 32;
const AMOUNT = '1000000';

type Acceptance = { readonly scheme: string; readonly network: string; readonly payTo: Address };
type Required = { readonly paymentIntentId: string; readonly accepts: readonly Acceptance[] };

export type PreparedCalls = {
  readonly calls: readonly SettleCall[];
  /** Of one intent: the API and PostgreSQL. What the other processes did meanwhile is not the intents'. */
  readonly intent: Metered;
};

/** With what the intents cost. */
export async function prepareMetered(world: SettleWorld, payers: Payers, count: number): Promise<PreparedCalls> {
  const { pids, besidePids, pool, rpc, fronts } = world;
  const meters = await startMeters({
    charged: { api: pids.api, postgres: pids.postgres },
    beside: { ...besidePids, settlement: pids.settlement, webhooks: pids.webhooks, engine: pids.engine },
    self: { name: 'load', charged: false },
    pool,
    rpc,
    fronts,
  });
  const calls = await prepareCalls(world, payers, count);
  return { calls, intent: await meters.stop(count) };
}

export async function prepareCalls(world: SettleWorld, payers: Payers, count: number): Promise<readonly SettleCall[]> {
  const pool = new Pool(`http://127.0.0.1:${world.apiPort}`, { connections: CONNECTIONS, pipelining: 1 });
  const body = JSON.stringify({ amount: AMOUNT, tokenShortcode: 'anvil_usdc' });
  const calls: SettleCall[] = [];
  let begun = 0;
  const worker = async () => {
    while (begun < count) {
      const shop = world.shops[begun % world.shops.length];
      begun += 1;
      const key = shop?.publishableKey ?? '';
      const response = await pool.request({
        method: 'POST',
        path: '/sdk/public/payments/intents/x402',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body,
      });
      const required = (await response.body.json()) as Required;
      if (response.statusCode !== 402) throw new Error(`${response.statusCode}: ${JSON.stringify(required)}`);
      calls.push(await callFor(required, key, payers));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  await pool.close();
  return calls;
}

async function callFor({ paymentIntentId, accepts }: Required, key: string, payers: Payers): Promise<SettleCall> {
  const [acceptance] = accepts;
  if (acceptance === undefined) throw new Error('nothing is accepted');
  const { scheme, network, payTo } = acceptance;
  const payload = await payers.sign(payTo, BigInt(AMOUNT));
  const header = Buffer.from(JSON.stringify({ x402Version: 1, scheme, network, payload })).toString('base64');
  const body = JSON.stringify({ paymentIntentId, paymentHeader: header, paymentRequirements: acceptance });
  const head = [
    'POST /sdk/public/payments/x402/settle HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Authorization: Bearer ${key}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ].join('\r\n');
  return { intentId: paymentIntentId, bytes: Buffer.from(`${head}\r\n\r\n${body}`) };
}
