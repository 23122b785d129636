// An authorization that a payer has used in two cells: for the account that moves, and for an account of the other cell.
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { MoveWorld } from './move-world.ts';
import { insertRow, NOW } from './sample-rows.ts';

type SharedAuthorization = {
  readonly claim_key: Buffer;
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: Buffer;
  readonly payment_id: string;
};

/** The claim of a payment of the account that is completed. */
export async function completedClaim({ source, accountId }: MoveWorld): Promise<SharedAuthorization> {
  const { rows } = await source.pool.query<SharedAuthorization>(
    `select claim_key, c.network, c.asset, c.payer, c.nonce, c.payment_id from svc.claims c
     join svc.payments p on p.account_id = c.account_id and p.mode = c.mode and p.id = c.payment_id
     where c.account_id = $1 and p.status = 'completed' order by p.id limit 1`,
    [accountId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no completed payment has a claim');
  return row;
}

/** A payment of the account that failed, whose authorization has expired. */
export async function failedClaim({ source, accountId }: MoveWorld): Promise<SharedAuthorization> {
  const shared = {
    claim_key: Buffer.alloc(32, 0x5f),
    network: 'eip155:84532',
    asset: '0x3333333333333333333333333333333333333333',
    payer: '0x1111111111111111111111111111111111111111',
    nonce: Buffer.alloc(32, 0x5e),
  };
  const { paymentId } = await seedClaim(source.pool, accountId, 990, shared, 'failed');
  return { ...shared, payment_id: paymentId };
}

export type RivalState = 'failed' | 'pending' | 'open' | 'completed';

/** The neighbour in the other cell has claimed the same authorization. `open`: its payment failed, and it has not expired. */
export async function seedRival(
  { target, neighbourId }: MoveWorld,
  { claim_key, network, asset, payer, nonce }: SharedAuthorization,
  state: RivalState,
) {
  const rival = await seedClaim(target.pool, neighbourId, 991, { claim_key, network, asset, payer, nonce }, state);
  const own = { account_id: neighbourId };
  return {
    ...rival,
    fail: async () => {
      await target.pool.query("update svc.settlements set status = 'failed' where account_id = $1", [own.account_id]);
      await target.pool.query(
        "update svc.payments set status = 'failed', failure_code = 'expired' where account_id = $1",
        [own.account_id],
      );
      await target.pool.query('update svc.authorizations set closed_at = now() where account_id = $1', [
        own.account_id,
      ]);
    },
  };
}

async function seedClaim(
  pool: pg.Pool,
  accountId: string,
  code: number,
  signed: Omit<SharedAuthorization, 'payment_id'>,
  state: RivalState,
): Promise<{ readonly paymentId: Id<'payment'>; readonly intentId: Id<'paymentIntent'> }> {
  const [paymentId, intentId] = [newId('payment', NOW.getTime()), newId('paymentIntent', NOW.getTime())];
  const of = { account_id: accountId, intent_id: intentId };
  const { network, asset, payer } = signed;
  const status = state === 'open' ? 'failed' : state;
  await insertRow(pool, 'intents', { account_id: accountId, id: intentId, intent_code: code });
  await insertRow(pool, 'intent_codes', { ...of, intent_code: code });
  await insertRow(pool, 'authorizations', {
    ...of,
    ...signed,
    closed_at: state === 'open' || state === 'pending' ? null : NOW,
  });
  await insertRow(pool, 'claims', { ...of, ...signed, payment_id: paymentId });
  // A payment is completed by its transaction; a test that needs one has no transaction.
  const client = await pool.connect();
  await client.query(`set session_replication_role = ${state === 'completed' ? 'replica' : 'origin'}`);
  await insertRow(client, 'payments', {
    ...of,
    id: paymentId,
    network,
    asset,
    payer,
    status,
    failure_code: status === 'failed' ? 'expired' : null,
    ...(status === 'completed' && { paid_amount: '1000000', transaction_id: '0xrival', completed_at: NOW }),
  });
  client.release(true);
  await insertRow(pool, 'settlements', {
    ...of,
    intent_code: code,
    payment_id: paymentId,
    claim_key: signed.claim_key,
    network,
    asset,
    status: status === 'pending' ? 'queued' : status,
    ...(status === 'completed' && { foreign_transaction_id: '0xrival' }),
  });
  return { paymentId, intentId };
}
