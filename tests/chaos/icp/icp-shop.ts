// A merchant who sells on the Internet Computer alone, as an operator sets one up.
import { accountText } from '@svc-pay/core';
import { identityNamed } from '@svc-pay/icp/local';
import { payoutTerms } from '@svc-pay/money';
import { parseNetwork } from '@svc-pay/protocol';
import type pg from 'pg';
import { BY_THIS_CODE, type Shop } from '../../e2e/open-shop.ts';

export type Identity = ReturnType<typeof identityNamed>;

export type IcpShop = Pick<Shop, 'accountId' | 'publishableKey' | 'secretKey'> & {
  /** Account in its textual form. */
  readonly merchant: string;
  readonly wallet: Identity;
};

export const accountOf = (identity: Identity) => accountText(identity.getPrincipal().toUint8Array(), null);

export async function openIcpShop(pool: pg.Pool, name: string): Promise<IcpShop> {
  const operation = { pool, nowMs: Date.now(), actor: 'operator:test' };
  const account = await BY_THIS_CODE.storeAccount(operation, ['iclocal_ckusdc']);
  const wallet = identityNamed(name);
  const merchant = accountOf(wallet);
  const network = parseNetwork('icp:local');
  const terms = payoutTerms({ feeBps: 0, splits: [] });
  if (network === undefined || !terms.ok) throw new Error('the shop has no terms');
  const payout = { accountId: account.accountId, mode: 'test', network, processor: merchant, merchant } as const;
  await BY_THIS_CODE.storePayout(operation, { ...payout, terms: terms.terms, status: 'active' });
  return { ...account, merchant, wallet };
}
