import { randomBytes } from 'node:crypto';
import {
  ANSWER_GRACE_MS,
  type AnswerMark,
  type Caller,
  createIntent,
  createPricing,
  type IntentRecord,
  type LeaseOrder,
  type SettleOrder,
  systemClock,
} from '@svc-pay/core';
import { sampleFamily } from '@svc-pay/core/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApiStores } from '../api-stores.ts';
import { reserveIntentCodes } from '../intent/record-intents.ts';
import { loadMerchant } from '../payout/load-merchant.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { queuePayment } from '../testing/queue-payment.ts';
import { NETWORKS, seedMerchant } from '../testing/seed-merchant.ts';
import { deleteEndedLeases } from './delete-ended-leases.ts';
import { leaseAuthorizations, MOST_SUMMED } from './lease-authorizations.ts';
import { setProcessorSeller } from './set-processor-seller.ts';
import { beginSettle, loadLeases, markLeaseAnswers, returnLease, takeOverLease } from './settle-leases.ts';

const { pool } = await createTestDatabase();
const NOW_MS = Date.now();
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`;

let caller: Caller;
beforeAll(async () => {
  caller = await seedMerchant(pool);
});

const order = (change: Partial<LeaseOrder> = {}): LeaseOrder => ({
  accountId: caller.accountId,
  mode: caller.mode,
  claimKey: randomBytes(32),
  network: evmNetwork(84_532),
  asset: USDC,
  payer: hex(20),
  recipient: hex(20),
  amount: 100n,
  validBeforeSeconds: BigInt(Math.floor(NOW_MS / 1_000) + 300),
  balance: 1_000n,
  unsettledLimit: undefined,
  ...change,
});
const lease = async (one: LeaseOrder) => (await leaseAuthorizations(pool, [one]))[0];
/** As if its call had been that long ago. */
const age = (one: LeaseOrder, ms: number) =>
  pool.query("update svc.x402_leases set call_at = call_at - $2 * interval '1 millisecond' where claim_key = $1", [
    one.claimKey,
    ms,
  ]);
const read = async (one: LeaseOrder) => (await loadLeases(pool, [one]))[0];
const mark = (one: LeaseOrder, call: number, answer: AnswerMark) =>
  markLeaseAnswers(pool, [{ claimKey: one.claimKey, call, answer }]);

/** An intent as it would be recorded. */
async function newRecord(): Promise<IntentRecord> {
  const records: IntentRecord[] = [];
  const database = { pool, url: '', ping: async () => {}, close: async () => {} };
  const created = await createIntent(
    {
      ...createApiStores(database, { clock: systemClock, cacheMs: 0 }),
      clock: systemClock,
      families: [sampleFamily()],
      networks: NETWORKS,
      uptoSettles: true,
      facilitatorUrl: null,
      rateOf: createPricing({ clock: systemClock, maxAgeMs: 60_000, feed: async () => undefined }),
      priceLifeMs: 600_000,
      nextIntentCode: async () => (await reserveIntentCodes(pool, 1))[0] ?? 0,
      recordIntent: async (record) => {
        records.push(record);
        return { outcome: 'recorded' };
      },
    },
    { caller, request: { usdAmount: '1.5', tokenShortcode: 'basesepolia_usdc' }, requestId: 'req_test', claim: null },
  );
  const [record] = records;
  if (!created.ok || record === undefined) throw new Error('no intent was made');
  return record;
}
const settle = async (one: LeaseOrder, call: number): Promise<SettleOrder> => ({
  ...one,
  call,
  record: await newRecord(),
});
const intents = async (ids: readonly string[]) =>
  (await pool.query<{ id: string }>('select id from svc.intents where id = any ($1)', [ids])).rows.map(({ id }) => id);

describe('calls at the same moment', () => {
  test('of 24 verifies of one payload one gets the lease', async () => {
    const one = order();
    const verdicts = await Promise.all(Array.from({ length: 24 }, () => lease(one)));
    expect(verdicts.filter((verdict) => verdict?.granted)).toEqual([{ granted: true, call: 1 }]);
    for (const verdict of verdicts.filter((found) => !found?.granted))
      expect(verdict).toEqual({ granted: false, refusal: 'leased' });
  });

  test('of 24 payloads of one payer as many are leased as the balance pays', async () => {
    const payer = hex(20);
    const verdicts = await Promise.all(Array.from({ length: 24 }, () => lease(order({ payer, balance: 350n }))));
    expect(verdicts.filter((verdict) => verdict?.granted)).toHaveLength(3);
    expect(verdicts.find((verdict) => !verdict?.granted)).toEqual({ granted: false, refusal: 'over_balance' });
  });

  test('of 24 returns of a lease to an intent one gets it, with the terms of its call', async () => {
    const one = order();
    const first = await settle(one, 1);
    await beginSettle(pool, first);
    await mark(one, 1, 'unclaimed');
    await beginSettle(pool, await settle(one, 2));
    const intentId = first.record.intent.id;
    const back = { ...one, amount: 70n, call: 3, intentId };
    const returned = await Promise.all(Array.from({ length: 24 }, () => returnLease(pool, back)));
    expect(returned.filter(Boolean)).toHaveLength(1);
    expect((await read(one))?.lease).toMatchObject({ call: 3, answer: null, intentId, amount: 70n });
  });

  test('of 24 settles of one payload one begins, and records one intent', async () => {
    const one = order();
    await lease(one);
    const orders = await Promise.all(Array.from({ length: 24 }, () => settle(one, 2)));
    const begun = await Promise.all(orders.map((each) => beginSettle(pool, each)));
    expect(begun.filter(Boolean)).toHaveLength(1);
    const [winner] = orders.filter((_, index) => begun[index]);
    expect(await intents(orders.map(({ record }) => record.intent.id))).toEqual([winner?.record.intent.id]);
    expect((await read(one))?.lease).toMatchObject({ call: 2, answer: null, intentId: winner?.record.intent.id });
  });

  test('of 24 settles without a verify one begins', async () => {
    const one = order();
    const orders = await Promise.all(Array.from({ length: 24 }, () => settle(one, 1)));
    const begun = await Promise.all(orders.map((each) => beginSettle(pool, each)));
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await intents(orders.map(({ record }) => record.intent.id))).toHaveLength(1);
  });

  test('of 24 settles that join a lost one, one takes it over', async () => {
    const one = order();
    await beginSettle(pool, await settle(one, 1));
    await mark(one, 1, 'lost');
    const taken = await Promise.all(Array.from({ length: 24 }, () => takeOverLease(pool, one.claimKey, 2)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect((await read(one))?.lease).toMatchObject({ call: 2, answer: null });
  });

  test('of a verify and a settle at the same moment never both win the same number', async () => {
    for (let round = 0; round < 10; round += 1) {
      const one = order();
      const begin = await settle(one, 1);
      const [verdict, begun] = await Promise.all([lease(one), beginSettle(pool, begin)]);
      expect([verdict?.granted, begun].filter(Boolean)).toHaveLength(1);
    }
  });

  test('many payers are judged in one transaction, each by itself', async () => {
    const claimed = order();
    await lease(claimed);
    const orders = [order(), order({ balance: 99n }), claimed, order()];
    expect(await leaseAuthorizations(pool, orders)).toEqual([
      { granted: true, call: 1 },
      { granted: false, refusal: 'over_balance' },
      { granted: false, refusal: 'leased' },
      { granted: true, call: 1 },
    ]);
  });
});

test('an answer counts as lost by the time since its lease was written, however long the call waited for the lock', async () => {
  const one = order();
  const { promise, resolve } = Promise.withResolvers<void>();
  const client = await pool.connect();
  await client.query('begin');
  await client.query('lock table svc.claims in access exclusive mode');
  const first = lease(one);
  setTimeout(resolve, 5_500);
  await promise;
  const second = lease(one);
  await client.query('commit');
  client.release();
  const verdicts = await Promise.all([first, second]);
  expect(verdicts.filter((verdict) => verdict?.granted)).toHaveLength(1);
}, 20_000);

test('a lease that took long to write is used by nobody, and left to a later verify', async () => {
  const one = order();
  const client = await pool.connect();
  await client.query('begin');
  // It can be read, and not written.
  await client.query('lock table svc.x402_leases in share mode');
  const first = lease(one);
  setTimeout(() => void client.query('commit').then(() => client.release()), 3_000);
  await expect(first).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  expect(await lease(one)).toEqual({ granted: false, refusal: 'leased' });
  await age(one, ANSWER_GRACE_MS);
  expect(await lease(one)).toEqual({ granted: true, call: 2 });
}, 20_000);

test('times of settles are those of the database, whatever clock a process has', async () => {
  const one = order();
  const dbNowMs = async () =>
    Number((await pool.query('select extract(epoch from clock_timestamp()) * 1000 as now')).rows[0].now);
  const beforeMs = await dbNowMs();
  await beginSettle(pool, await settle(one, 1));
  const begun = await read(one);
  await takeOverLease(pool, one.claimKey, 2);
  const taken = await read(one);
  const times = [beforeMs - 1, begun?.lease?.callAtMs, begun?.readAtMs, taken?.lease?.callAtMs, taken?.readAtMs];
  expect(times).toEqual([...times].sort((earlier = 0, later = 0) => earlier - later));
  expect(times.at(-1)).toBeLessThanOrEqual(await dbNowMs());
});

describe('a process that ends', () => {
  test('after the lease and before the mark leaves it to the next verify, some seconds later', async () => {
    const one = order();
    await lease(one);
    await age(one, 2_000);
    expect(await lease(one)).toEqual({ granted: false, refusal: 'leased' });
    await age(one, 3_000);
    expect(await lease(one)).toEqual({ granted: true, call: 2 });
  });

  test('after the answer of its verify arrived leaves nobody the lease', async () => {
    const one = order();
    await lease(one);
    await mark(one, 1, 'arrived');
    await age(one, 60_000);
    expect(await lease(one)).toEqual({ granted: false, refusal: 'leased' });
  });

  test('between begin and claim leaves the intent to the settle that takes over', async () => {
    const one = order();
    await lease(one);
    const begun = await settle(one, 2);
    await beginSettle(pool, begun);
    await age(one, 60_000);
    expect(await lease(one)).toEqual({ granted: false, refusal: 'spent' });
    expect(await takeOverLease(pool, one.claimKey, 3)).toBe(true);
    expect(await read(one)).toMatchObject({ lease: { call: 3, intentId: begun.record.intent.id }, claim: undefined });
  });
});

test('a mark of a call that no longer has the lease changes nothing', async () => {
  const one = order();
  await lease(one);
  await beginSettle(pool, await settle(one, 2));
  await mark(one, 1, 'arrived');
  expect((await read(one))?.lease).toMatchObject({ call: 2, answer: null });
  await mark(one, 2, 'pending');
  expect((await read(one))?.lease).toMatchObject({ call: 2, answer: 'pending' });
});

test('a lease keeps what it is about', async () => {
  const one = order();
  await lease(one);
  const { accountId, mode, recipient, amount, validBeforeSeconds } = one;
  expect(await read(one)).toMatchObject({
    lease: {
      accountId,
      mode,
      recipient,
      amount,
      validBeforeSeconds,
      call: 1,
      callAtMs: expect.any(Number),
      answer: null,
    },
    claim: undefined,
  });
});

describe('exposure', () => {
  test('counts what is pending, of every account', async () => {
    const payer = hex(20);
    await queuePayment(pool, await seedMerchant(pool), { payer });
    expect(await lease(order({ payer, amount: 1n, balance: 1_500_000n }))).toEqual({
      granted: false,
      refusal: 'over_balance',
    });
    expect(await lease(order({ payer, amount: 1n, balance: 1_500_001n }))).toMatchObject({ granted: true });
  });

  test('counts an authorization that a settle has begun with until it is claimed, and never twice', async () => {
    const payer = hex(20);
    const one = order({ payer });
    await beginSettle(pool, await settle(one, 1));
    const next = () => lease(order({ payer, amount: 950n }));
    expect(await next()).toEqual({ granted: false, refusal: 'over_balance' });
    await pool.query(
      `insert into svc.claims (claim_key, account_id, mode, intent_id, network, asset, payer, nonce, created_at)
       values ($1, $2, $3, 'pi_x', $4, $5, $6, '\\x00', now())`,
      [one.claimKey, one.accountId, one.mode, one.network, one.asset, payer],
    );
    expect(await next()).toMatchObject({ granted: true });
  });

  test('counts an authorization whose settle ended without a claim, since the same settle may claim it', async () => {
    for (const answer of ['unclaimed', 'lost'] as const) {
      const payer = hex(20);
      const one = order({ payer });
      await beginSettle(pool, await settle(one, 1));
      await mark(one, 1, answer);
      const next = lease(order({ payer, amount: 950n }));
      expect(await next).toEqual({ granted: false, refusal: 'over_balance' });
    }
  });

  test('is summed by an index that leaves out what was settled', async () => {
    const client = await pool.connect();
    try {
      await client.query('set enable_seqscan = off');
      const { rows } = await client.query(
        `explain select amount from svc.x402_leases
         where network = 'n' and payer = 'p' and asset = 'a'
           and (intent_id is null or answer is null or answer in ('lost', 'unclaimed')) and valid_before > 1`,
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('x402_leases_open');
    } finally {
      await client.query('reset enable_seqscan');
      client.release();
    }
  });

  test('a payer with more small leases than are summed gets no further one', async () => {
    const payer = hex(20);
    const one = order({ payer, amount: 1n, balance: 1_000_000n });
    await lease(one);
    await pool.query(
      `insert into svc.x402_leases
         (claim_key, account_id, mode, network, asset, payer, recipient, amount, valid_before, call, call_at)
       select sha256($1::bytea || number::text::bytea), account_id, mode, network, asset, payer, recipient, amount,
         valid_before, call, call_at
       from svc.x402_leases, generate_series(1, $2) number where claim_key = $1`,
      [one.claimKey, MOST_SUMMED - 2],
    );
    const next = () => lease(order({ payer, amount: 1n, balance: 1_000_000n }));
    expect(await next()).toMatchObject({ granted: true });
    expect(await next()).toEqual({ granted: false, refusal: 'over_limit' });
  });

  test('does not count what has ended, nor another token', async () => {
    const payer = hex(20);
    await lease(order({ payer, validBeforeSeconds: BigInt(Math.floor(NOW_MS / 1_000)) }));
    await lease(order({ payer, asset: '0x808456652fdb597867f38412077A9182bf77359F' }));
    expect(await lease(order({ payer, amount: 1_000n }))).toMatchObject({ granted: true });
  });
});

test('an account takes the processor for its sellers only where it opted in, and the choice is in the audit record', async () => {
  const { accountId, mode } = caller;
  const operation = { pool, nowMs: NOW_MS, actor: 'operator:test' };
  const takes = async () => (await loadMerchant(pool, caller)).takesProcessor;
  expect(await takes()).toBeUndefined();
  expect(await setProcessorSeller(operation, accountId, mode, true)).toBe(true);
  expect(await takes()).toBe(true);
  expect(await setProcessorSeller({ ...operation, nowMs: NOW_MS + 1 }, accountId, mode, false)).toBe(true);
  expect(await takes()).toBeUndefined();
  expect(await setProcessorSeller(operation, 'acct_nobody', mode, true)).toBe(false);
  const { rows } = await pool.query("select detail from svc.audit where action = 'account.seller_set' order by id");
  expect(rows).toEqual([{ detail: { takesProcessor: true } }, { detail: { takesProcessor: false } }]);
});

test('leases leave a day after they ended, those with a settle a month after its call', async () => {
  const DAY_MS = 86_400_000;
  const ended = { validBeforeSeconds: BigInt(Math.floor(NOW_MS / 1_000) - 90_000) };
  const [unsettled, settled, old, open] = [order(ended), order(ended), order(ended), order()];
  for (const one of [unsettled, open]) await lease(one);
  await beginSettle(pool, await settle(settled, 1));
  await beginSettle(pool, await settle(old, 1));
  await age(old, 31 * DAY_MS);
  await deleteEndedLeases(pool, NOW_MS - DAY_MS, NOW_MS - 30 * DAY_MS, 100);
  const left = await Promise.all([unsettled, settled, old, open].map(async (one) => (await read(one))?.lease?.call));
  expect(left).toEqual([undefined, 1, undefined, 1]);
});

test('a lease that is granted again while ended ones are deleted stays', async () => {
  const ended = { validBeforeSeconds: BigInt(Math.floor(NOW_MS / 1_000) - 90_000) };
  const [unsettled, settled] = [order(ended), order(ended)];
  await lease(unsettled);
  await beginSettle(pool, await settle(settled, 1));
  for (const one of [unsettled, settled]) {
    await age(one, 31 * 86_400_000);
    const client = await pool.connect();
    await client.query('begin');
    await client.query(
      'update svc.x402_leases set valid_before = extract(epoch from now()) + 300, call = 2 where claim_key = $1',
      [one.claimKey],
    );
    const deleted = deleteEndedLeases(pool, NOW_MS - 86_400_000, NOW_MS - 30 * 86_400_000, 100);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await client.query('commit');
    client.release();
    await deleted;
  }
  const left = await Promise.all([unsettled, settled].map(async (one) => (await read(one))?.lease?.call));
  expect(left).toEqual([2, 2]);
});
