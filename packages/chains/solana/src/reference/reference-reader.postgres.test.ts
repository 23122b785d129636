// Payments that wallets send by themselves, from the chain to the books, with real Postgres and a real virtual machine.
import { createMaintenanceStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AMOUNT } from '../testing/lane-world.ts';
import { createReferenceWorld, type ReferenceWorld, SHARES } from '../testing/reference-world.ts';
import { openRefundLane } from '../testing/refund-lane.ts';
import { referenceOf } from './reference-key.ts';

async function world(): Promise<ReferenceWorld> {
  const { pool } = await createTestDatabase();
  const made = await createReferenceWorld(pool);
  onTestFinished(() => made.chain.stop());
  return made;
}

/** Every payment is booked once for what its recipients got, and proven by one transaction. */
async function expectSound({ pool }: ReferenceWorld): Promise<void> {
  const { rows } = await pool.query(`
    select 'unbalanced ' || payment_id as flaw from svc.ledger_entries group by payment_id, asset having sum(amount) <> 0
    union all
    select 'two completed of ' || intent_id from svc.payments where status = 'completed' group by intent_id having count(*) > 1
    union all
    select 'proofs of ' || p.id from svc.payments p
    where 1 <> (select count(*) from svc.log_proofs proof where proof.payment_id = p.id)
    union all
    select 'payout of ' || s.payment_id from svc.settlements s
    where s.foreign_transaction_id is not null and not exists (
      select from svc.payouts t where t.network = s.network and t.payout_id = s.payout_id and t.processor = s.recipient
    )
    union all
    select 'booked ' || p.id from svc.payments p
    where p.paid_amount <> (
      select -sum(amount) from svc.ledger_entries e where e.payment_id = p.id and e.account_name = 'payer'
    )`);
  expect(rows).toEqual([]);
}

const eventsOf = async ({ pool }: ReferenceWorld, intentId: string) =>
  (
    await pool.query<{ type: string }>('select type from svc.events where intent_id = $1 order by sequence', [intentId])
  ).rows.map(({ type }) => type);
const times = (share: readonly [bigint, bigint], by: bigint): [bigint, bigint] => [
  (share[0] * by) / 100n,
  (share[1] * by) / 100n,
];

test('the exact amount completes its intent, once, with the payer who was debited', async () => {
  const run = await world();
  const [intentId, payer] = [await run.intent(), await run.newPayer()];
  await run.pay(payer, SHARES, [intentId]);
  await run.reader().run();
  expect(await run.paymentsOf(intentId)).toEqual([]);
  for (let reads = 0; reads < 3; reads += 1) await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([
    { status: 'completed', paid: '1000000', payer: payer.address },
  ]);
  expect(await run.intentOf(intentId)).toBe('completed');
  expect(await eventsOf(run, intentId)).toEqual(['payment_intent.created', 'payment.created', 'payment.completed']);
  await expectSound(run);
});

test('less is a part, and the part that reaches the sum completes the intent', async () => {
  const run = await world();
  const [intentId, payer] = [await run.intent(), await run.newPayer()];
  await run.pay(payer, times(SHARES, 40n), [intentId]);
  await run.read();
  expect(await run.intentOf(intentId)).toBe('mismatched');
  expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'mismatched', paid: '400000' }]);
  await run.pay(payer, times(SHARES, 60n), [intentId]);
  await run.read();
  expect(await run.intentOf(intentId)).toBe('completed');
  expect(await run.paymentsOf(intentId)).toMatchObject([
    { status: 'mismatched', paid: '400000' },
    { status: 'completed', paid: '600000', total: '1000000' },
  ]);
  await expectSound(run);
});

test('more completes the intent, and the surplus is due back', async () => {
  const run = await world();
  const intentId = await run.intent();
  await run.pay(await run.newPayer(), times(SHARES, 250n), [intentId]);
  await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'completed', paid: '2500000', due: '1500000' }]);
  await expectSound(run);
});

test('a second payment of a completed intent is a payment of its own, and the intent stays as it is', async () => {
  const run = await world();
  const intentId = await run.intent();
  const payers = [await run.newPayer(), await run.newPayer()];
  for (const payer of payers) await run.pay(payer, SHARES, [intentId]);
  await run.read();
  expect((await run.paymentsOf(intentId)).map(({ status }) => status)).toEqual(['completed', 'mismatched']);
  expect(await run.intentOf(intentId)).toBe('completed');
  await expectSound(run);
});

test('a payment after the end of the intent is kept and told, and pays nothing', async () => {
  const run = await world();
  const [intentId, payer] = [await run.intent(), await run.newPayer()];
  await run.pool.query(`update svc.intents set expires_at = now() - interval '1 minute' where id = $1`, [intentId]);
  await run.pay(payer, SHARES, [intentId]);
  await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'mismatched', paid: '1000000', due: '1000000' }]);
  expect(await run.intentOf(intentId)).toBe('requires_payment');
  expect(await eventsOf(run, intentId)).toContain('payment.created');
  await expectSound(run);
});

test('money of another sender than the intent expects is kept beside it', async () => {
  const run = await world();
  const payer = await run.newPayer();
  const intentId = await run.intent({ expectedSender: run.actors.stranger.address });
  await run.pay(payer, SHARES, [intentId]);
  await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'mismatched', payer: payer.address }]);
  expect(await run.intentOf(intentId)).toBe('requires_payment');
});

test('one unit is an unattributed receipt without events, and a transaction that pays nobody is nothing', async () => {
  const run = await world();
  const [intentId, payer] = [await run.intent(), await run.newPayer()];
  await run.pay(payer, [1n, 0n], [intentId]);
  await run.pay(payer, [0n, 0n], [intentId]);
  await run.read();
  expect(await run.paymentsOf(intentId)).toEqual([]);
  expect(await eventsOf(run, intentId)).toEqual(['payment_intent.created']);
  const { rows } = await run.pool.query('select reason, log from svc.log_proofs');
  expect(rows).toMatchObject([
    { reason: 'below_minimum', log: { intentId, event: 'solana_pay', payer: payer.address } },
  ]);
});

/** An advisory lock. */
const TELLING = 5_511;

const receiptsOf = async ({ pool }: ReferenceWorld) =>
  (
    await pool.query<{ receipt: string }>(
      `select concat_ws(' ', reason, log->>'intentId', log->>'amountAtomic') as receipt
       from svc.log_proofs where payment_id is null order by 1`,
    )
  ).rows.map(({ receipt }) => receipt);

test('money that leaves a part of the platform’s fee out is judged by the smallest share, and the rest is told', async () => {
  const run = await world();
  const intentId = await run.intent();
  await run.pay(await run.newPayer(), [990_000n, 5_000n], [intentId]);
  for (let reads = 0; reads < 2; reads += 1) await run.read();
  const [payment] = await run.paymentsOf(intentId);
  expect(payment).toMatchObject({ status: 'mismatched', paid: '500099' });
  expect(await receiptsOf(run)).toEqual([`surplus ${intentId} 494901`]);
  const told = run.logged.filter((line) => line.startsWith('receipt_unattributed'));
  expect(told).toEqual([expect.stringContaining('"amountAtomic":"494901"')]);
  await expectSound(run);
});

test('money that leaves the platform’s fee out altogether pays nothing, and is told', async () => {
  const run = await world();
  const intentId = await run.intent();
  await run.pay(await run.newPayer(), [990_000n, 0n], [intentId]);
  await run.read();
  expect(await run.paymentsOf(intentId)).toEqual([]);
  expect(await receiptsOf(run)).toEqual([`other_terms ${intentId} 990000`]);
  expect(await eventsOf(run, intentId)).toEqual(['payment_intent.created']);
});

test('money for a payout that was disabled meanwhile pays nothing, and is told', async () => {
  const run = await world();
  const [open, left] = [await run.intent(), await run.intent()];
  await run.pool.query(`update svc.intents set expires_at = now() - interval '1 day' where id = $1`, [left]);
  const maintenance = createMaintenanceStore(run.pool);
  await maintenance.expireIntents(Date.now(), 10);
  const page = await maintenance.loadUnpaidIntents(Date.now() + 1_000, undefined, 10);
  await maintenance.removeUnpaidIntents(page, Date.now() + 1_000);
  await run.pool.query(`update svc.payouts set status = 'disabled' where network = $1`, [run.lane.network]);
  for (const intentId of [open, left]) await run.pay(await run.newPayer(), SHARES, [intentId]);
  await run.read();
  expect([await run.paymentsOf(open), await run.paymentsOf(left)]).toEqual([[], []]);
  expect([await run.intentOf(open), await run.intentOf(left)]).toEqual(['requires_payment', undefined]);
  const told = [open, left].map((intentId) => `payout_withdrawn ${intentId} 1000000`);
  expect(await receiptsOf(run)).toEqual(told.toSorted());
});

test('a transaction that pays one intent and names another one, of which it pays nothing, pays the one', async () => {
  const run = await world();
  const [dear, paid] = [await run.intent(), await run.intent()];
  await run.pool.query('update svc.acceptances set amount = $2 where intent_id = $1', [dear, 1_000n * AMOUNT]);
  await run.pay(await run.newPayer(), SHARES, [dear, paid]);
  const due = (await run.references.loadDue(run.lane.network, Date.now() + 1_000, 10)).map(({ intentId }) => intentId);
  expect(due).toEqual([dear, paid]);
  for (let reads = 0; reads < 2; reads += 1) await run.read();
  expect(await run.paymentsOf(dear)).toEqual([]);
  expect(await run.paymentsOf(paid)).toMatchObject([{ status: 'completed', paid: '1000000' }]);
  expect(await receiptsOf(run)).toEqual([]);
  await expectSound(run);
});

test('money that is told for one intent while it completes another one is told no more', async () => {
  const run = await world();
  const [dear, paid] = [await run.intent(), await run.intent()];
  await run.pool.query('update svc.acceptances set amount = $2 where intent_id = $1', [dear, 1_000n * AMOUNT]);
  await run.pay(await run.newPayer(), SHARES, [dear, paid]);
  await run.pool.query(`
    create function public.wait_to_tell() returns trigger language plpgsql as $body$
    begin
      perform pg_advisory_xact_lock(${TELLING});
      return new;
    end $body$;
    create trigger wait_to_tell before insert on svc.log_proofs for each row when (new.reason = 'below_minimum')
      execute function public.wait_to_tell()`);
  const teller = await run.pool.connect();
  await teller.query('select pg_advisory_lock($1)', [TELLING]);
  const reading = run.read();
  const waiting = async () => {
    const { rows } = await run.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length;
  };
  const isPaid = async () => (await run.intentOf(paid)) === 'completed';
  await expect.poll(async () => (await isPaid()) || (await waiting()) === 2, { timeout: 20_000 }).toBe(true);
  await teller.query('select pg_advisory_unlock($1)', [TELLING]);
  teller.release();
  await reading;
  expect(await run.paymentsOf(paid)).toMatchObject([{ status: 'completed', paid: '1000000' }]);
  expect(await receiptsOf(run)).toEqual([]);
  await expectSound(run);
});

/** The intents become those of another merchant. */
async function sellBy({ chain, pool, actors }: ReferenceWorld, seller: string, intents: readonly string[]) {
  await chain.fundToken(seller, 0n);
  await pool.query(
    `insert into svc.payouts select account_id, mode, network, 2, processor, $2, fee_bps, splits, status, transaction_id, now()
     from svc.payouts where merchant = $1`,
    [actors.merchant, seller],
  );
  await pool.query('update svc.acceptances set pay_to = $2, payout_id = 2 where intent_id = any ($1)', [
    intents,
    seller,
  ]);
}

describe('a transaction that names intents of two merchants', () => {
  async function buyOfBoth(shares: { readonly first: bigint; readonly second: bigint; readonly fee: bigint }) {
    const run = await world();
    const { merchant, platform, stranger } = run.actors;
    const [first, second] = [await run.intent(), await run.intent()];
    await sellBy(run, stranger.address, [first]);
    const legs = [
      { owner: stranger.address, amountAtomic: shares.first },
      { owner: merchant, amountAtomic: shares.second },
      { owner: platform, amountAtomic: shares.fee },
    ];
    await run.send(
      await run.newPayer(),
      legs.filter(({ amountAtomic }) => amountAtomic > 0n),
      [first, second],
    );
    // Of two that are counted at once, one is left for a later read.
    for (let reads = 0; reads < 3; reads += 1) {
      await run.read();
      run.later(600_000);
    }
    return { run, first, second };
  }

  test('and leaves the fee out pays neither, and the money of both is told', async () => {
    const { run, first, second } = await buyOfBoth({ first: 400_000n, second: 990_000n, fee: 0n });
    expect([await run.paymentsOf(first), await run.paymentsOf(second)]).toEqual([[], []]);
    const told = [`other_terms ${first} 400000`, `other_terms ${second} 990000`];
    expect(await receiptsOf(run)).toEqual(told.toSorted());
  });

  test('and pays both whole completes the intent that is counted first, and the money of the other is told', async () => {
    const { run, first, second } = await buyOfBoth({ first: SHARES[0], second: SHARES[0], fee: 2n * SHARES[1] });
    const [ofFirst, ofSecond] = [await run.paymentsOf(first), await run.paymentsOf(second)];
    expect([...ofFirst, ...ofSecond]).toMatchObject([{ status: 'completed', paid: '1000000' }]);
    const [paid, told] = ofFirst.length === 1 ? [first, second] : [second, first];
    expect(await receiptsOf(run)).toEqual([`other_payment ${told} 1000000`, `surplus ${paid} 10000`]);
    await expectSound(run);
  });

  test('and pays one in the cell from which its account came tells nothing when it is read again', async () => {
    const run = await world();
    const intentId = await run.intent();
    await run.pay(await run.newPayer(), SHARES, [intentId]);
    await run.read();
    expect(await run.intentOf(intentId)).toBe('completed');
    await run.pool.query("update svc.log_proofs set account_id = 'acct_other', payment_id = 'pay_other'");
    await run.pool.query('update svc.payment_references set cursor = null, next_read_at = opened_at');
    await run.read();
    expect(await receiptsOf(run)).toEqual([]);
  });

  test('and pays too little of the first, which is told, completes the second, and the first stays told', async () => {
    const { run, first, second } = await buyOfBoth({ first: 9n, second: SHARES[0], fee: SHARES[1] });
    expect(await run.paymentsOf(first)).toEqual([]);
    expect(await run.paymentsOf(second)).toMatchObject([{ status: 'completed', paid: '1000000' }]);
    expect(await receiptsOf(run)).toEqual([expect.stringContaining(first)]);
    await expectSound(run);
  });
});

describe('a transaction that a refund is proven by', () => {
  /** The merchant’s wallet gives a payment back, and the same transaction names an intent of another merchant. */
  async function refundAndBuy(
    run: ReferenceWorld,
    deal: (payer: string) => { readonly seller: string; readonly paid: bigint; readonly back: bigint },
  ) {
    const refunds = await openRefundLane(run);
    const { wallet, platform } = run.actors;
    const [earlier, intentId] = [await refunds.pay(), await run.intent()];
    const { seller, paid, back } = deal(earlier.payer);
    await sellBy(run, seller, [intentId]);
    run.chain.fundSol(wallet.address, 1_000_000_000n);
    await run.chain.fundToken(wallet.address, 100n * AMOUNT);
    const legs = [
      { owner: seller, amountAtomic: paid },
      { owner: platform, amountAtomic: SHARES[1] },
      ...(back > 0n ? [{ owner: earlier.payer, amountAtomic: back }] : []),
    ];
    const transactionId = await run.send(wallet, legs, [intentId]);
    run.chain.ledger.advance(40n);
    const refund = await refunds.report(earlier.paymentId, transactionId);
    await refunds.watch();
    expect(await refunds.statusOf(refund)).toBe('completed');
    for (let reads = 0; reads < 2; reads += 1) await run.read();
    return { intentId, left: await refunds.leftOf(earlier.paymentId) };
  }

  test('pays an intent too with what the refund does not count', async () => {
    const run = await world();
    const seller = run.actors.stranger.address;
    const { intentId, left } = await refundAndBuy(run, () => ({ seller, paid: SHARES[0], back: 400_000n }));
    expect(left).toBe('600000');
    expect(await run.paymentsOf(intentId)).toMatchObject([
      { status: 'completed', paid: '1000000', payer: run.actors.merchant },
    ]);
    expect(await receiptsOf(run)).toEqual([]);
  });

  test('pays no intent with what the refund counts', async () => {
    const run = await world();
    const { intentId, left } = await refundAndBuy(run, (payer) => ({ seller: payer, paid: SHARES[0], back: 0n }));
    expect(left).toBe('10000');
    expect(await run.paymentsOf(intentId)).toEqual([]);
    expect(await receiptsOf(run)).toEqual([`other_terms ${intentId} 10000`]);
  });
});

test('a transaction that names the references of two intents pays one of them, once', async () => {
  const run = await world();
  const intents = [await run.intent(), await run.intent()];
  await run.pay(await run.newPayer(), SHARES, intents);
  for (let reads = 0; reads < 3; reads += 1) await run.read();
  const all = await Promise.all(intents.map(run.paymentsOf));
  expect(all.flat()).toMatchObject([{ status: 'completed', paid: '1000000' }]);
  await expectSound(run);
});

test('a queued payment makes room for the money, and one that is sent does not', async () => {
  const run = await world();
  const queued = await run.intent();
  await run.queue({ intentId: queued });
  await run.pay(await run.newPayer(), SHARES, [queued]);
  await run.read();
  expect((await run.paymentsOf(queued)).map(({ status }) => status).toSorted()).toEqual(['completed', 'failed']);
  const sent = await run.intent();
  await run.queue({ intentId: sent });
  await run.settle();
  await run.pay(await run.newPayer(), SHARES, [sent]);
  await run.read();
  expect((await run.paymentsOf(sent)).map(({ status }) => status).toSorted()).toEqual(['completed', 'mismatched']);
});

test('a transaction of a relayer of ours never counts here', async () => {
  const run = await world();
  const { paymentId, intentId } = await run.queue();
  await run.settle();
  const { rows } = await run.pool.query('select transaction_id from svc.payments where id = $1', [paymentId]);
  const reference = (await run.references.loadDue(run.lane.network, Date.now(), 10))[0];
  expect(reference).toBeUndefined();
  const other = await run.intent();
  const [due] = await run.references.loadDue(run.lane.network, Date.now() + 1_000, 10);
  await run.pool.query('delete from svc.log_proofs');
  const movement = { transactionId: rows[0].transaction_id, slot: 1n, blockTimeSeconds: 1n, feePayer: '', changes: [] };
  expect(await run.references.apply(due!, movement, Date.now())).toEqual({
    outcome: 'ignored',
    reason: 'own_transaction',
  });
  expect([await run.paymentsOf(other), intentId]).toEqual([[], intentId]);
});

test('a process that dies between two reads, or before it has noted one, changes nothing', async () => {
  const run = await world();
  const [intentId, payer] = [await run.intent(), await run.newPayer()];
  await run.pay(payer, times(SHARES, 50n), [intentId]);
  await run.pay(payer, times(SHARES, 50n), [intentId]);
  run.chain.ledger.advance(40n);
  run.later(2_000);
  let applied = 0;
  const dying = {
    ...run.references,
    apply: async (...given: Parameters<typeof run.references.apply>) => {
      applied += 1;
      if (applied === 2) throw new Error('dies here');
      return run.references.apply(...given);
    },
    noteRead: async () => {
      throw new Error('is dead');
    },
  };
  await expect(run.reader(dying).run()).rejects.toThrow('is dead');
  expect(await run.paymentsOf(intentId)).toHaveLength(1);
  await run.read();
  expect((await run.paymentsOf(intentId)).map(({ status }) => status)).toEqual(['mismatched', 'completed']);
  await expectSound(run);
});

test('two processes that read the same reference at once book its payment once', async () => {
  const run = await world();
  const intents = await Promise.all([1, 2, 3, 4].map(() => run.intent()));
  for (const intentId of intents) await run.pay(await run.newPayer(), SHARES, [intentId]);
  run.chain.ledger.advance(40n);
  run.later(2_000);
  await Promise.allSettled([run.reader().run(), run.reader().run(), run.reader().run()]);
  run.later(20_000);
  await run.read();
  for (const intentId of intents) expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'completed' }]);
  await expectSound(run);
});

test('an intent whose payment was in a block in time does not expire before its reference is read, and one that was not paid does', async () => {
  const run = await world();
  const [paid, unpaid] = [await run.intent(), await run.intent()];
  const { expireIntents } = createMaintenanceStore(run.pool);
  const expiresAtMs = Date.now() + 5_000;
  for (const table of ['intents', 'payment_references'])
    await run.pool.query(`update svc.${table} set expires_at = $1`, [new Date(expiresAtMs)]);
  await run.read();
  run.chain.ledger.unixSeconds = BigInt(Math.floor(expiresAtMs / 1_000) - 1);
  await run.pay(await run.newPayer(), SHARES, [paid]);
  await expireIntents(expiresAtMs + 30_000, 10);
  run.later(30_000);
  await run.reader().run();
  await expireIntents(expiresAtMs + 30_000, 10);
  expect(await run.intentOf(paid)).toBe('requires_payment');
  run.later(60_000);
  await run.read();
  await expireIntents(expiresAtMs + 90_000, 10);
  expect([await run.intentOf(paid), await run.intentOf(unpaid)]).toEqual(['completed', 'canceled']);
});

test('a reference that nobody reads keeps its intent open for an hour and no longer', async () => {
  const run = await world();
  const intentId = await run.intent();
  const { expireIntents } = createMaintenanceStore(run.pool);
  const expiresAtMs = Date.now();
  await run.pool.query('update svc.intents set expires_at = $1', [new Date(expiresAtMs)]);
  await expireIntents(expiresAtMs + 3_599_000, 10);
  expect(await run.intentOf(intentId)).toBe('requires_payment');
  await expireIntents(expiresAtMs + 3_600_000, 10);
  expect(await run.intentOf(intentId)).toBe('canceled');
});

test('an intent that left unpaid comes back with its late money', async () => {
  const run = await world();
  const [intentId, payer] = [await run.intent(), await run.newPayer()];
  const maintenance = createMaintenanceStore(run.pool);
  await run.pool.query(`update svc.intents set expires_at = now() - interval '1 day' where id = $1`, [intentId]);
  await maintenance.expireIntents(Date.now(), 10);
  const page = await maintenance.loadUnpaidIntents(Date.now() + 1_000, undefined, 10);
  await maintenance.removeUnpaidIntents(page, Date.now() + 1_000);
  expect(await run.intentOf(intentId)).toBeUndefined();
  await run.pay(payer, SHARES, [intentId]);
  await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([{ status: 'mismatched', paid: '1000000' }]);
  expect(await run.intentOf(intentId)).toBe('canceled');
});

test('a stolen login of the API can’t have the money of one intent counted for another, nor keep a reference for longer', async () => {
  const run = await world();
  const [victim, attacker, payer] = [await run.intent(), await run.intent(), await run.newPayer()];
  await run.pool.query('delete from svc.payment_references');
  await run.pool.query(
    `select svc.open_reference(account_id, mode, id, intent_code, $2, $3, $4, now()) from svc.intents where id = $1`,
    [attacker, run.lane.network, referenceOf('here', victim), run.actors.platform],
  );
  const { rows } = await run.pool.query(
    'select r.expires_at = i.expires_at as same from svc.payment_references r join svc.intents i on i.id = r.intent_id',
  );
  expect(rows).toEqual([{ same: true }]);
  await run.pay(payer, SHARES, [victim]);
  await run.read();
  expect(await run.intentOf(attacker)).toBe('requires_payment');
  expect(run.logged.map((line) => line.split(' ')[0])).toContain('reference_forged');
  expect((await run.pool.query('select from svc.payment_references')).rowCount).toBe(0);
});

test('a reference is closed a week after the end of its intent, unless a wallet has asked meanwhile', async () => {
  const run = await world();
  await run.intent();
  const count = async () => (await run.pool.query('select from svc.payment_references')).rowCount;
  await run.read();
  expect(await count()).toBe(1);
  run.later(6 * 86_400_000);
  await run.read();
  expect(await count()).toBe(1);
  run.later(2 * 86_400_000);
  const [due] = await run.references.loadDue(run.lane.network, Date.now() + 9 * 86_400_000, 10);
  await run.pool.query(`update svc.payment_references set opened_at = opened_at + interval '1 second'`);
  await run.references.noteRead(due!, { cursor: null, waitsSinceMs: null, wholeSinceMs: null, nextReadAtMs: null });
  expect(await count()).toBe(1);
  await run.read();
  expect(await count()).toBe(0);
});
