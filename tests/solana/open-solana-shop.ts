// A merchant who sells on Solana alone, as an operator sets one up.
import { newKey } from '@svc-pay/core';
import { payoutTerms } from '@svc-pay/money';
import { createAccount, enableTokens, setPayout } from '@svc-pay/postgres/operator';
import { parseNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { type Actors, drawActors } from '@svc-pay/solana/testing';
import type pg from 'pg';
import { BOX, PEPPER } from '../e2e/open-shop.ts';

export type SolanaShop = {
  readonly accountId: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly merchant: string;
  /** Key of the merchant's wallet. */
  readonly wallet: Actors['wallet'];
  readonly splits: readonly { readonly to: string; readonly bps: number }[];
  readonly feeBps: number;
};

const FEE_BPS = 100;
const SPLIT_BPS = 1_000;

/** With the token accounts of merchant and split made; the platform's is somebody else's to make. */
export async function openSolanaShop(
  pool: pg.Pool,
  faucet: { readonly fundToken: (owner: string, amountAtomic: bigint) => Promise<unknown> },
  feeAccount: string,
  withSplit: boolean,
): Promise<SolanaShop> {
  const nowMs = Date.now();
  const operation = { pool, nowMs, actor: 'operator:test' };
  const owner = { accountId: newId('account', nowMs), mode: 'test' } as const;
  const secrets = { pepper: PEPPER, box: BOX };
  const publishable = newKey(secrets, owner, 'publishable', nowMs);
  const secret = newKey(secrets, owner, 'secret', nowMs);
  await createAccount(operation, { id: owner.accountId, name: 'A shop', keys: [publishable.record, secret.record] });
  await enableTokens(operation, { ...owner, shortcodes: ['soldevnet_usdc'] });
  const { merchant, wallet, platform: other } = await drawActors();
  const splits = withSplit ? [{ to: other, bps: SPLIT_BPS }] : [];
  for (const recipient of [merchant, ...splits.map(({ to }) => to)]) await faucet.fundToken(recipient, 0n);
  const network = parseNetwork('solana:devnet');
  const terms = payoutTerms({ feeBps: FEE_BPS, splits });
  if (network === undefined || !terms.ok) throw new Error('the shop has no terms');
  const set = await setPayout(operation, {
    ...owner,
    network,
    processor: feeAccount,
    merchant,
    terms: terms.terms,
    status: 'active',
  });
  if (!set.ok) throw new Error(set.code);
  const { accountId } = owner;
  const keys = { publishableKey: publishable.text, secretKey: secret.text };
  return { accountId, ...keys, merchant, wallet, splits, feeBps: FEE_BPS };
}
