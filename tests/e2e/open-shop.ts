// Sets up a merchant as an operator does: an account with keys, its tokens, and its payout, registered on chain.
import { randomBytes } from 'node:crypto';
import { createSecretBox, newKey, type PayoutRequest, sealingKeyOf } from '@svc-pay/core';
import type { LocalChain } from '@svc-pay/evm/testing';
import { payoutTerms } from '@svc-pay/money';
import { createAccount, enableTokens, setPayout } from '@svc-pay/postgres/operator';
import { parseNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { Address } from 'viem';

export type Shop = {
  readonly accountId: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly merchant: Address;
  readonly splits: readonly { readonly to: Address; readonly bps: number }[];
  readonly feeBps: number;
};

export const PEPPER = Buffer.from('pepper-of-the-tests-pepper-of-the-tests');
export const MASTER_KEY = randomBytes(32);
export const BOX = createSecretBox([{ number: 1, bytes: MASTER_KEY }]);
/** Output of `keys seal-key`: the API seals endpoint secrets with it and cannot open them. */
export const SEAL_KEY = `1:${Buffer.from(sealingKeyOf({ number: 1, bytes: MASTER_KEY }).bytes).toString('base64')}`;

export type ShopTerms = { readonly feeBps: number; readonly splitBps: readonly number[] };

const anyAddress = (): Address => `0x${randomBytes(20).toString('hex')}`;

const USUAL: ShopTerms = { feeBps: 100, splitBps: [1_000, 33] };

/** Stores the payout and answers its id. The database of another release needs that release's own command. */
type StorePayout = (operation: Parameters<typeof setPayout>[0], payout: PayoutRequest) => Promise<bigint>;

const storeByThisCode: StorePayout = async (operation, payout) => {
  const set = await setPayout(operation, payout);
  if (!set.ok) throw new Error(set.code);
  return BigInt(set.payout.payoutId);
};

export async function openShop(
  pool: pg.Pool,
  chain: LocalChain,
  { feeBps, splitBps }: ShopTerms = USUAL,
  storePayout: StorePayout = storeByThisCode,
): Promise<Shop> {
  const nowMs = Date.now();
  const operation = { pool, nowMs, actor: 'operator:test' };
  const owner = { accountId: newId('account', nowMs), mode: 'test' } as const;
  const secrets = { pepper: PEPPER, box: BOX };
  const publishable = newKey(secrets, owner, 'publishable', nowMs);
  const secret = newKey(secrets, owner, 'secret', nowMs);
  await createAccount(operation, { id: owner.accountId, name: 'A shop', keys: [publishable.record, secret.record] });
  await enableTokens(operation, { ...owner, shortcodes: ['anvil_usdc', 'anvil_vol'] });

  const network = parseNetwork(chain.network);
  const splits = splitBps.map((bps) => ({ to: anyAddress(), bps }));
  const merchant = anyAddress();
  const terms = payoutTerms({ feeBps, splits });
  if (network === undefined || !terms.ok) throw new Error('the shop has no terms');
  const payout = { ...owner, network, processor: chain.record.processor, merchant, terms: terms.terms } as const;
  const payoutId = await storePayout(operation, { ...payout, status: 'active' });
  const registered = await chain.registerPayout({ payoutId, merchant, feeBps, splits });
  if (!registered.ok) throw new Error(registered.reason);
  const { accountId } = owner;
  return { accountId, publishableKey: publishable.text, secretKey: secret.text, merchant, splits, feeBps };
}
