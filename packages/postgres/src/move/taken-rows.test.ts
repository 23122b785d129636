// A payer has used one authorization in both cells. The account arrives all the same, and no row says what did not happen.
import { sampleAccount } from '@svc-pay/core/testing';
import { expect, test } from 'vitest';
import { createIcrcWorld, ICRC_NETWORK, type IcrcWorld } from '../testing/icrc-world.ts';
import { BETWEEN_COMMITS, killOnce } from '../testing/kill-once.ts';
import { booksOf, createMoveWorld, guardsOf, type MoveWorld, statusesOf } from '../testing/move-world.ts';
import { completedClaim, failedClaim, type RivalState, seedRival } from '../testing/rival-claim.ts';

const holderOf = async ({ target }: MoveWorld, key: Buffer) =>
  (await target.pool.query('select account_id, payment_id from svc.claims where claim_key = $1', [key])).rows;

const leave = async (world: MoveWorld) => {
  await killOnce(world, 'source', BETWEEN_COMMITS);
  await expect(world.move()).rejects.toThrow();
  expect(await statusesOf(world)).toEqual(['moved', 'absent']);
};

async function expectArrived(world: MoveWorld) {
  expect(await statusesOf(world)).toEqual(['moved', 'active']);
  expect([await booksOf(world.source.pool), await booksOf(world.target.pool)]).toEqual([[], []]);
}

const MOMENTS = ['before the account leaves', 'after a call died between the two commits'] as const;

test.each(
  MOMENTS.flatMap((moment) => (['failed', 'pending', 'open'] as const).map((state) => [moment, state] as const)),
)('%s: the authorization of a failed payment is claimed there by a payment that is %s', async (moment, state) => {
  const world = await createMoveWorld();
  const claim = await failedClaim(world);
  if (moment === MOMENTS[1]) await leave(world);
  const { paymentId } = await seedRival(world, claim, state);
  expect(await world.move()).toMatchObject({ ok: true, changed: true, behind: 1 });
  expect(await holderOf(world, claim.claim_key)).toEqual([{ account_id: world.neighbourId, payment_id: paymentId }]);
  const { rows } = await world.target.pool.query('select status from svc.payments where id = $1', [claim.payment_id]);
  expect(rows).toEqual([{ status: 'failed' }]);
  const { rows: audited } = await world.target.pool.query(
    "select detail from svc.audit where account_id = $1 and action = 'account.arrived' limit 1",
    [world.accountId],
  );
  expect(audited).toMatchObject([{ detail: { behind: 1, replaced: 0 } }]);
  await expectArrived(world);
});

test.each(MOMENTS)('%s: that of a completed payment is claimed there by one that failed', async (moment) => {
  const world = await createMoveWorld();
  const claim = await completedClaim(world);
  if (moment === MOMENTS[1]) await leave(world);
  await seedRival(world, claim, 'failed');
  expect(await world.move()).toMatchObject({ ok: true, changed: true, behind: 0 });
  expect(await holderOf(world, claim.claim_key)).toEqual([
    { account_id: world.accountId, payment_id: claim.payment_id },
  ]);
  await expectArrived(world);
});

test.each(MOMENTS.flatMap((moment) => (['pending', 'open'] as const).map((state) => [moment, state] as const)))(
  '%s: that of a completed payment is claimed there by one that is %s, which ends first',
  async (moment, state) => {
    const world = await createMoveWorld();
    const claim = await completedClaim(world);
    const hasLeft = moment === MOMENTS[1];
    if (hasLeft) await leave(world);
    const { fail, paymentId } = await seedRival(world, claim, state);
    expect(await world.move()).toEqual({ ok: false, code: 'authorization_open_there' });
    expect(await statusesOf(world)).toEqual([hasLeft ? 'moved' : 'moving', 'absent']);
    expect(await guardsOf(world)).toMatchObject({ guarded: hasLeft });
    expect(await holderOf(world, claim.claim_key)).toEqual([{ account_id: world.neighbourId, payment_id: paymentId }]);
    await fail();
    await world.source.pool.query(`update svc.deliveries set next_at = now() + interval '1 hour'
    where status = 'pending' and next_at < 'infinity'`);
    expect(await world.move()).toMatchObject({ ok: true, changed: true, behind: 0 });
    await expectArrived(world);
  },
);

test.each<[string, RivalState | 'proof', string]>([
  ['an authorization', 'completed', 'authorization_paid_twice'],
  ['a log', 'proof', 'log_proven_twice'],
])(
  'what both cells call paid by %s is refused by name; an account that has left arrives, and the books tell',
  async (_, state, code) => {
    const seed = async (world: MoveWorld) => {
      if (state !== 'proof') return seedRival(world, await completedClaim(world), state);
      return proveThere(world, "'acct_other', 'pay_other', null, null");
    };
    const [staying, leaving] = [await createMoveWorld(), await createMoveWorld()];
    await seed(staying);
    expect(await staying.move()).toEqual({ ok: false, code });
    expect(await guardsOf(staying)).toEqual({ guarded: false, parked: 0 });
    expect(await staying.abort()).toEqual({ ok: true });
    await leave(leaving);
    await seed(leaving);
    expect(await leaving.move()).toMatchObject({ ok: true, changed: true, behind: 1 });
    expect(await statusesOf(leaving)).toEqual(['moved', 'active']);
    expect(JSON.stringify(await booksOf(leaving.target.pool))).toContain((await completedClaim(leaving)).payment_id);
  },
);

test('a transaction without logs paid merchants of both cells: both payments stay, and the books are whole', async () => {
  const world = await createMoveWorld();
  const [here, there] = [
    await createIcrcWorld(world.source.pool),
    await createIcrcWorld(world.target.pool, { merchant: sampleAccount(8) }),
  ];
  const paid = async (cell: IcrcWorld) => {
    const intentId = await cell.intent();
    await cell.pay(intentId);
    await cell.read();
    const [payment] = await cell.paymentsOf(intentId);
    return payment;
  };
  const [first, second] = [await paid(here), await paid(there)];
  expect([first?.status, second]).toEqual(['completed', first]);
  // Both have the same ones of processors.
  await world.target.pool.query('delete from svc.payouts where account_id = $1 and network <> $2', [
    there.accountId,
    ICRC_NETWORK,
  ]);
  const { accountId } = here;
  expect(await world.move({ accountId })).toMatchObject({ ok: true, behind: 2 });
  const { rows } = await world.target.pool.query('select status from svc.payments where transaction_id = $1', [
    first?.transaction,
  ]);
  expect(rows).toEqual([{ status: 'completed' }, { status: 'completed' }]);
  expect([await booksOf(world.source.pool), await booksOf(world.target.pool)]).toEqual([[], []]);
  // Of an account that came with everything it would be a flaw.
  await world.target.pool.query(`alter table svc.audit disable trigger user`);
  await world.target.pool.query(`update svc.audit set detail = '{}' where action = 'account.arrived'`);
  expect(await booksOf(world.target.pool)).toHaveLength(2);
});

test('a receipt that pays nothing there gives way to the payment that its log completed', async () => {
  const world = await createMoveWorld();
  const proof = await proveThere(world, `null, null, 'unknown_intent', '{}'`);
  expect(await world.move()).toMatchObject({ ok: true, behind: 0 });
  const { rows } = await world.target.pool.query(
    'select payment_id, reason from svc.log_proofs where transaction_id = $1 and log_index = $2',
    [proof?.transaction_id, proof?.log_index],
  );
  expect(rows).toEqual([{ payment_id: proof?.payment_id, reason: null }]);
  await expectArrived(world);
});

/** Stores the log of a completed payment of the account in the other cell, as that of something else. */
async function proveThere(world: MoveWorld, what: string) {
  const { payment_id } = await completedClaim(world);
  const { rows } = await world.source.pool.query<{
    network: string;
    transaction_id: string;
    log_index: number;
    payment_id: string;
  }>('select network, transaction_id, log_index, payment_id from svc.log_proofs where payment_id = $1', [payment_id]);
  const [proof] = rows;
  await world.target.pool.query(
    `insert into svc.log_proofs (network, transaction_id, log_index, mode, created_at, account_id, payment_id, reason, log)
     values ($1, $2, $3, 'test', now(), ${what})`,
    [proof?.network, proof?.transaction_id, proof?.log_index],
  );
  return proof;
}

test('an authorization that sellers of both cells have leased: the lease there stays', async () => {
  const world = await createMoveWorld();
  await world.target.pool.query(
    `insert into svc.x402_leases (claim_key, account_id, mode, network, asset, payer, recipient, amount, valid_before, call, call_at)
     values (decode(repeat('0a', 32), 'hex'), $1, 'test', 'eip155:84532', '0xa', '0xb', '0xd', 7, 1, 1, now())`,
    [world.neighbourId],
  );
  expect(await world.move()).toMatchObject({ ok: true, behind: 1 });
  const { rows } = await world.target.pool.query('select account_id, amount from svc.x402_leases');
  expect(rows).toEqual([{ account_id: world.neighbourId, amount: '7' }]);
  await expectArrived(world);
});
