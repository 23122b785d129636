// Rows that a watcher cannot process do not stop other rows, and no row gets a result from only one of two forks.
import { createAuthorizationWatch, createHeldWatch } from '@svc-pay/core';
import {
  createEvmWatchedChain,
  createRegistryMirror,
  DEFAULT_TIP_BOUNDS,
  type JsonRpc,
  type OpenNetwork,
  type RpcCall,
} from '@svc-pay/evm';
import {
  createMaintenanceStore,
  createPayoutRegistryStore,
  createStrandedStore,
} from '@svc-pay/postgres/settlement-service';
import {
  createTestDatabase,
  createTestIntent,
  PROCESSOR,
  type QueuedPayment,
  queuePayment,
  seedMerchant,
} from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createIntentExpiry } from './expire-intents.ts';
import { createAuditSealer } from './maintenance-jobs.ts';

const NETWORK = evmNetwork(84_532);
const hex = (value: bigint) => `0x${value.toString(16)}`;
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

type Chain = {
  readonly finalizedSeconds?: bigint;
  /** Result of an `eth_call` with this data. */
  readonly call: (data: string) => string;
};

/** A node without any logs. */
function nodeOf({ finalizedSeconds = 1_000n, call }: Chain): JsonRpc {
  const answer = ({ method, params }: RpcCall): unknown => {
    if (method === 'eth_call') return call((params[0] as { data: string }).data);
    if (method === 'eth_getLogs') return [];
    return { number: '0x64', timestamp: hex(params[0] === 'finalized' ? finalizedSeconds : 1n) };
  };
  return async (calls) => calls.map((one) => ({ ok: true, result: answer(one) }));
}

async function world(nodes: readonly Chain[] = []) {
  const { pool } = await createTestDatabase();
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const [first = nodeOf({ call: () => '0x' }), ...others] = nodes.map(nodeOf);
  const open: OpenNetwork = {
    network: NETWORK,
    mode: 'test',
    processor: PROCESSOR,
    processorVersion: '1.3.0',
    rpc: first,
    endpoints: [first, ...others],
    voters: async () => [first, ...others],
    feeBounds: { ...DEFAULT_TIP_BOUNDS, maxFeeWei: 1_000_000_000_000n },
    gasCoin: undefined,
  };
  const failures: string[] = [];
  const deps = {
    stranded: createStrandedStore(pool),
    payouts: createPayoutRegistryStore(pool, 'service:settlement'),
    clock: { nowMs: () => Date.now() },
    log: () => {},
    countFailure: (_network: string, watcher: string) => void failures.push(watcher),
  };
  const chain = createEvmWatchedChain(open, {
    readFitness: () => Promise.reject(new Error('nobody asks')),
    extraJobs: [],
  });
  return { pool, caller, open, chain, deps, failures };
}

const queueMany = async (pool: pg.Pool, caller: Parameters<typeof queuePayment>[1], count: number) => {
  const payments: QueuedPayment[] = [];
  for (let index = 0; index < count; index += 1) payments.push(await queuePayment(pool, caller));
  return payments;
};
const nonceOf = async (pool: pg.Pool, { intentId }: QueuedPayment) => {
  const { rows } = await pool.query<{ nonce: string }>(
    "select encode(nonce, 'hex') as nonce from svc.authorizations where intent_id = $1",
    [intentId],
  );
  return rows[0]?.nonce ?? '';
};
const statusesOf = async (pool: pg.Pool, payments: readonly QueuedPayment[]) => {
  const { rows } = await pool.query<{ payment_id: string; status: string }>(
    'select payment_id, status from svc.settlements',
  );
  return payments.map(({ paymentId }) => rows.find((row) => row.payment_id === paymentId)?.status);
};

describe('held payments', () => {
  const holdAll = (pool: pg.Pool) => pool.query("update svc.settlements set status = 'held'");

  test('are queued again, although one among them cannot be read', async () => {
    let bad = 'none';
    const { pool, caller, chain, deps, failures } = await world([
      { call: (data) => (data.includes(bad) ? '0x' : word(0n)) },
    ]);
    const payments = await queueMany(pool, caller, 4);
    bad = await nonceOf(pool, payments[1]!);
    await holdAll(pool);
    await createHeldWatch(chain, deps).run();
    expect(await statusesOf(pool, payments)).toEqual(['queued', 'held', 'queued', 'queued']);
    expect(failures).toEqual(['held']);
  });

  test.each([
    ['the first', [1n, 0n]],
    ['the second', [0n, 1n]],
  ])('stay held while two nodes are on two forks: used by %s', async (_, uses) => {
    const { pool, caller, chain, deps } = await world(uses.map((used) => ({ call: () => word(used) })));
    const payments = await queueMany(pool, caller, 1);
    await pool.query("update svc.authorizations set kind = 'permit', nonce = decode(repeat('00', 32), 'hex')");
    await holdAll(pool);
    await createHeldWatch(chain, deps).run();
    expect(await statusesOf(pool, payments)).toEqual(['held']);
  });
});

test('stranded money behind a hundred undecided rows, and behind one that fails, is decided', async () => {
  const { pool, caller, chain, deps, failures } = await world();
  const strand = (intentId: string, claimKey: string) =>
    pool.query(
      `insert into svc.stranded_transfers (account_id, mode, claim_key, intent_id, network, action, status,
         stranded_transaction_id, stranded_log_index, created_at, updated_at)
       select $1, $2, decode($3, 'hex'), $4, $5, 'hold', 'queued', '0xab', 1, now(), now()`,
      [caller.accountId, caller.mode, claimKey, intentId, NETWORK],
    );
  const key = (index: number) => index.toString(16).padStart(64, '0');
  await strand('pi_that_is_gone', key(0));
  const undecided = await createTestIntent(pool, caller);
  for (let index = 1; index <= 100; index += 1) await strand(undecided, key(index));
  const { intentId, paymentId } = await queuePayment(pool, caller);
  const { rows } = await pool.query<{ key: string }>(
    "select encode(claim_key, 'hex') as key from svc.settlements where payment_id = $1",
    [paymentId],
  );
  await strand(intentId, rows[0]?.key ?? '');
  await createHeldWatch(chain, deps).run();
  const decided = await pool.query("select intent_id, action from svc.stranded_transfers where action <> 'hold'");
  expect(decided.rows).toEqual([{ intent_id: intentId, action: 'settle' }]);
  expect(failures).toEqual(['held']);
});

describe('authorizations that have run out', () => {
  /** Marks the payments as failed, so that only the authorization watch still handles them. */
  const abandon = async (pool: pg.Pool) => {
    await pool.query('update svc.authorizations set valid_before = 500');
    await pool.query("update svc.settlements set status = 'failed'");
  };
  const closedOf = async (pool: pg.Pool, payments: readonly QueuedPayment[]) => {
    const { rows } = await pool.query<{ intent_id: string; closed: boolean }>(
      'select intent_id, closed_at is not null as closed from svc.authorizations',
    );
    return payments.map(({ intentId }) => rows.find((row) => row.intent_id === intentId)?.closed);
  };

  test('are closed, although one among them cannot be read', async () => {
    let bad = 'none';
    const { pool, caller, chain, deps, failures } = await world([
      { call: (data) => (data.includes(bad) ? '0x' : word(0n)) },
    ]);
    const payments = await queueMany(pool, caller, 4);
    bad = await nonceOf(pool, payments[1]!);
    await abandon(pool);
    await createAuthorizationWatch(chain, deps).run();
    expect(await closedOf(pool, payments)).toEqual([true, false, true, true]);
    expect(failures).toEqual(['authorizations']);
  });

  test.each([
    ['the first', [1n, 0n]],
    ['the second', [0n, 1n]],
  ])('stay open while two nodes are on two forks: used by %s', async (_, uses) => {
    const { pool, caller, chain, deps } = await world(uses.map((used) => ({ call: () => word(used) })));
    const payments = await queueMany(pool, caller, 1);
    await abandon(pool);
    await createAuthorizationWatch(chain, deps).run();
    expect(await closedOf(pool, payments)).toEqual([false]);
  });

  test('stay open while the final block of one of two nodes is not past their last second', async () => {
    const { pool, caller, chain, deps } = await world([
      { finalizedSeconds: 1_000n, call: () => word(0n) },
      { finalizedSeconds: 400n, call: () => word(0n) },
    ]);
    const payments = await queueMany(pool, caller, 1);
    await abandon(pool);
    await createAuthorizationWatch(chain, deps).run();
    expect(await closedOf(pool, payments)).toEqual([false]);
  });
});

/** Makes the database refuse changes to a row. */
const refuse = (pool: pg.Pool, table: string, column: string, value: string) =>
  pool.query(`
    create function svc.refuse_in_test() returns trigger language plpgsql as $$
    begin
      if new.${column} = '${value}' then raise exception 'not this one'; end if;
      return new;
    end $$;
    create trigger refuse_in_test before update on svc.${table} for each row execute function svc.refuse_in_test()`);

test('intents expire, although one among them cannot', async () => {
  const { pool, caller, deps, failures } = await world();
  const intents = [
    await createTestIntent(pool, caller),
    await createTestIntent(pool, caller),
    await createTestIntent(pool, caller),
  ];
  await pool.query("update svc.intents set expires_at = now() - interval '1 hour'");
  await refuse(pool, 'intents', 'id', intents[0] ?? '');
  await createIntentExpiry(createMaintenanceStore(pool), deps.clock, () => failures.push('intent-expiry')).run();
  const { rows } = await pool.query<{ id: string; status: string }>('select id, status from svc.intents');
  expect(intents.map((id) => rows.find((row) => row.id === id)?.status)).toEqual([
    'requires_payment',
    'canceled',
    'canceled',
  ]);
  expect(failures).toEqual(['intent-expiry']);
});

test('audit chains are sealed, although one among them cannot', async () => {
  const { pool, failures } = await world();
  const accounts = ['acct_1', 'acct_2', 'acct_3'];
  for (const account of accounts) {
    await pool.query(
      `insert into svc.audit (id, account_id, mode, actor, action, target, detail, created_at)
       values ($1, $2, 'test', 'test', 'test', 'test', '{}', now())`,
      [`aud_${account}`, account],
    );
  }
  await refuse(pool, 'audit', 'account_id', 'acct_1');
  await createAuditSealer(createMaintenanceStore(pool), () => failures.push('audit-sealer')).run();
  const { rows } = await pool.query<{ account_id: string }>(
    'select account_id from svc.audit where sequence is not null order by account_id',
  );
  expect(rows.map(({ account_id }) => account_id)).toEqual(['acct_2', 'acct_3']);
  expect(failures).toEqual(['audit-sealer']);
});

// Words: merchant, fee, number of splits, no end; then no splits.
const entryOf = (merchant: string, feeBps: bigint) =>
  `0x${[BigInt(merchant), feeBps, 0n, 0n, 160n, 0n].map((part) => word(part).slice(2)).join('')}`;
/** Same terms as `seedMerchant` stores. */
const registered = entryOf(`0x${'66'.repeat(20)}`, 100n);

test('payouts follow the registry, although one among them cannot be read', async () => {
  let bad = 'none';
  const { pool, open, deps, failures } = await world([{ call: (data) => (data.endsWith(bad) ? '0x' : registered) }]);
  await seedMerchant(pool);
  await seedMerchant(pool);
  await pool.query("update svc.payouts set status = 'pending'");
  const idsOf = async (status: string) =>
    (
      await pool.query<{ payout_id: string }>(
        'select payout_id from svc.payouts where network = $1 and status = $2 order by payout_id',
        [NETWORK, status],
      )
    ).rows.map(({ payout_id }) => BigInt(payout_id));
  const [first = 0n, ...others] = await idsOf('pending');
  expect(others.length).toBeGreaterThan(1);
  bad = word(first).slice(2);
  await createRegistryMirror(open, deps).run();
  expect(await idsOf('active')).toEqual(others);
  expect(failures).toEqual(['registry']);
});

describe('a payout that the registry has with other terms', () => {
  const [same, other] = [{ call: () => registered }, { call: () => entryOf(`0x${'67'.repeat(20)}`, 100n) }];
  const statusAfter = async (nodes: readonly Chain[], status: string) => {
    const { pool, open, deps } = await world(nodes);
    await pool.query('update svc.payouts set status = $2 where network = $1', [NETWORK, status]);
    await createRegistryMirror(open, deps).run();
    const { rows } = await pool.query<{ status: string }>(
      'select distinct status from svc.payouts where network = $1',
      [NETWORK],
    );
    return rows.map((row) => row.status);
  };

  test.each([
    ['active', 'while one of two nodes says so', [other, same], 'active'],
    ['active', 'while one of three nodes says so', [other, same, same], 'active'],
    ['pending', 'once two nodes say so', [same, other, other], 'active'],
    ['pending', 'once the only node says so', [other], 'active'],
    ['pending', 'while one of two nodes still says so', [same, other], 'pending'],
    ['active', 'once two nodes say otherwise', [other, same, same], 'pending'],
  ])('is %s %s', async (expected, _, nodes, before) => {
    expect(await statusAfter(nodes, before)).toEqual([expected]);
  });
});
