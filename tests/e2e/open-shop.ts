// Sets up a merchant as an operator does: an account with keys, its tokens, and its payout, registered on chain.
import { randomBytes } from 'node:crypto';
import { createSecretBox, newKey, type PayoutRequest, sealingKeyOf, TOKENS } from '@svc-pay/core';
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

export type ShopTerms = {
  readonly feeBps: number;
  readonly splitBps: readonly number[];
  /** Nobody's wallet by default. */
  readonly merchant?: Address;
};

const anyAddress = (): Address => `0x${randomBytes(20).toString('hex')}`;

export const USUAL: ShopTerms = { feeBps: 100, splitBps: [1_000, 33] };

type Operation = Parameters<typeof setPayout>[0];

/** What a shop consists of in the database. The database of another release needs that release's own command. */
export type ShopStore = {
  /** Stores an account with keys of test mode that may take these tokens. */
  readonly storeAccount: (
    operation: Operation,
    shortcodes: readonly string[],
  ) => Promise<Pick<Shop, 'accountId' | 'publishableKey' | 'secretKey'>>;
  /** Stores the payout and answers its id. */
  readonly storePayout: (operation: Operation, payout: PayoutRequest) => Promise<bigint>;
};

export const BY_THIS_CODE: ShopStore = {
  storeAccount: async (operation, shortcodes) => {
    const { nowMs } = operation;
    const owner = { accountId: newId('account', nowMs), mode: 'test' } as const;
    const secrets = { pepper: PEPPER, box: BOX };
    const publishable = newKey(secrets, owner, 'publishable', nowMs);
    const secret = newKey(secrets, owner, 'secret', nowMs);
    await createAccount(operation, { id: owner.accountId, name: 'A shop', keys: [publishable.record, secret.record] });
    await enableTokens(operation, { ...owner, shortcodes });
    return { accountId: owner.accountId, publishableKey: publishable.text, secretKey: secret.text };
  },
  storePayout: async (operation, payout) => {
    const set = await setPayout(operation, payout);
    if (!set.ok) throw new Error(set.code);
    return BigInt(set.payout.payoutId);
  },
};

/** Tokens of the catalogue that the chain has. */
const shortcodesOn = ({ network, tokens }: LocalChain) =>
  TOKENS.filter((token) => token.network === network)
    .filter(({ address }) => Object.values(tokens).some((own) => own.toLowerCase() === address.toLowerCase()))
    .map(({ shortcode }) => shortcode);

export async function openShop(
  pool: pg.Pool,
  chain: LocalChain,
  { feeBps, splitBps, merchant = anyAddress() }: ShopTerms = USUAL,
  { storeAccount, storePayout }: ShopStore = BY_THIS_CODE,
): Promise<Shop> {
  const nowMs = Date.now();
  const operation = { pool, nowMs, actor: 'operator:test' };
  const account = await storeAccount(operation, shortcodesOn(chain));
  const owner = { accountId: account.accountId, mode: 'test' } as const;

  const network = parseNetwork(chain.network);
  const splits = splitBps.map((bps) => ({ to: anyAddress(), bps }));
  const terms = payoutTerms({ feeBps, splits });
  if (network === undefined || !terms.ok) throw new Error('the shop has no terms');
  const payout = { ...owner, network, processor: chain.record.processor, merchant, terms: terms.terms } as const;
  const payoutId = await storePayout(operation, { ...payout, status: 'active' });
  const registered = await chain.registerPayout({ payoutId, merchant, feeBps, splits });
  if (!registered.ok) throw new Error(registered.reason);
  return { ...account, merchant, splits, feeBps };
}
