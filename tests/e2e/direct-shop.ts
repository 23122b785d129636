// A merchant with a direct payout, its intents and the payments that came of them.
import type { WalletUse } from '@svc-pay/core';
import type { Address } from 'viem';
import { waitFor } from './many-payments.ts';
import { isRead, openDirectPayout } from './open-direct-payout.ts';
import { openShop, type Shop } from './open-shop.ts';
import type { World } from './start-world.ts';
import { createIntent, type Payer, type SettleCall, type SettleResult, settle, signHeader } from './wallet.ts';

export type DirectShop = Shop & { readonly wallet: Address };

/** The shop also has a payout of the processor, for up-to payments. */
export async function openDirectShop({ chain, database }: World, use: WalletUse): Promise<DirectShop> {
  const shop = await openShop(database.pool, chain);
  return { ...shop, wallet: await openDirectPayout(database.pool, chain, shop.accountId, use) };
}

export const readerHasToken = ({ database, chain }: World): Promise<void> =>
  waitFor(() => isRead(database.pool, chain.tokens.usdc), 20, 'the reader has a cursor of the token');

export type DirectCall = SettleCall & { readonly shop: Shop };

/** Signs for the wallet: by the offered bound nonce, or by a drawn one as a foreign client does. */
export async function prepareDirect(
  world: World,
  shop: DirectShop,
  payer: Payer,
  nonce: 'bound' | 'drawn',
): Promise<DirectCall> {
  const { apiUrl } = world;
  const { paymentIntentId, accepts } = await createIntent({ apiUrl, shop });
  const acceptance = accepts.find(({ payTo }) => payTo.toLowerCase() === shop.wallet);
  if (acceptance === undefined) throw new Error(`${shop.wallet} is not offered: ${JSON.stringify(accepts)}`);
  const paymentHeader = await signHeader(payer, acceptance, undefined, nonce === 'bound');
  return { paymentIntentId, paymentHeader, paymentRequirements: acceptance, shop };
}

export function settleDirect({ apiUrl }: Pick<World, 'apiUrl'>, { shop, ...call }: DirectCall): Promise<SettleResult> {
  return settle({ apiUrl, shop }, call);
}

export type StoredPaymentRow = {
  readonly status: string;
  readonly settlement: string | null;
  readonly foreign: string | null;
  readonly proofs: number;
  readonly events: readonly string[];
};

/** Every payment of an intent, as stored, in order of creation, with the events that name it. */
export async function paymentsOf(
  { database }: World,
  { paymentIntentId }: Pick<SettleCall, 'paymentIntentId'>,
): Promise<readonly StoredPaymentRow[]> {
  const { rows } = await database.pool.query<StoredPaymentRow>(
    `select p.status, s.status as settlement, s.foreign_transaction_id as foreign,
       (select count(*)::integer from svc.log_proofs l where l.payment_id = p.id) as proofs,
       coalesce((
         select array_agg(e.type::text order by e.sequence) from svc.events e where e.payment_id = p.id
       ), array[]::text[]) as events
     from svc.payments p
     left join svc.settlements s on s.account_id = p.account_id and s.mode = p.mode and s.payment_id = p.id
     where p.intent_id = $1 order by p.id`,
    [paymentIntentId],
  );
  return rows;
}

export async function intentOf(
  { database }: World,
  { paymentIntentId }: Pick<SettleCall, 'paymentIntentId'>,
): Promise<{ readonly status: string; readonly code: bigint }> {
  const { rows } = await database.pool.query<{ status: string; intent_code: string }>(
    'select status, intent_code from svc.intents where id = $1',
    [paymentIntentId],
  );
  return { status: rows[0]?.status ?? '', code: BigInt(rows[0]?.intent_code ?? 0) };
}

/** Reasons of the unattributed receipts of a transaction. */
export async function unattributedOf({ database }: World, transactionId: string): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ reason: string }>(
    'select reason from svc.log_proofs where transaction_id = $1 and payment_id is null',
    [transactionId],
  );
  return rows.map(({ reason }) => reason);
}
