// Creates an intent as the API does.
import { type Caller, createIntent, createIntentCodes, createPricing, systemClock } from '@svc-pay/core';
import { sampleFamily } from '@svc-pay/core/testing';
import type { CreateIntentRequest } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { createApiStores } from '../api-stores.ts';
import { NETWORKS } from './seed-merchant.ts';

export async function createTestIntent(
  pool: pg.Pool,
  caller: Caller,
  request: CreateIntentRequest = { usdAmount: '1.5' },
): Promise<Id<'paymentIntent'>> {
  const database = { pool, url: '', ping: async () => {}, close: async () => {} };
  const stores = createApiStores(database, { clock: systemClock, cacheMs: 0 });
  const created = await createIntent(
    {
      ...stores,
      clock: systemClock,
      families: [sampleFamily()],
      networks: NETWORKS,
      uptoSettles: true,
      facilitatorUrl: null,
      rateOf: createPricing({ clock: systemClock, maxAgeMs: 60_000, feed: async () => undefined }),
      priceLifeMs: 600_000,
      nextIntentCode: createIntentCodes(stores.reserveIntentCodes, 1),
    },
    { caller, request, requestId: 'req_test', claim: null },
  );
  if (!created.ok) throw new Error(created.code);
  return (JSON.parse(created.answer.body) as { paymentIntentId: Id<'paymentIntent'> }).paymentIntentId;
}
