// An account of the test API that is paid directly: its wallet, activated by two signatures.
import type { ActivationTerms } from '@svc-pay/core';
import { type LocalKey, newKey } from '@svc-pay/evm/local';
import { activatePayout, type TestActivation } from '@svc-pay/evm/testing';
import { type DirectPayoutOptions, seedDirectPayout } from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { USDC } from './payment-chain.ts';
import type { TestApi } from './start-test-api.ts';

const APPROVER = newKey();

/** Settings of an API that believes `APPROVER`. */
export const DIRECT_SETTINGS = { SVC_PAYOUT_APPROVERS: APPROVER.account.address, SVC_PAYOUT_DELAY_HOURS: '24' };

export type WalletOptions = DirectPayoutOptions & {
  readonly approver?: LocalKey;
  /** The chain reader has begun with the token. */
  readonly readable?: boolean;
};

/** Plays the chain reader, which runs in settlement. */
export async function startReader({ pool }: TestApi['database']): Promise<void> {
  await pool.query(
    `insert into svc.reader_cursors (network, address, kind, block_number, block_hash, block_time, updated_at)
     values ('eip155:31337', $1, 'token', 0, '0x00', 0, now()) on conflict do nothing`,
    [USDC.toLowerCase()],
  );
}

/** Numbers must rise over all direct payouts of a network. */
export async function activateWallet(
  { database, account }: Pick<TestApi, 'database' | 'account'>,
  terms: Partial<ActivationTerms> = {},
  { approver = APPROVER, readable = true, ...options }: WalletOptions = {},
): Promise<TestActivation> {
  const { rows } = await database.pool.query<{ id: string }>('select id from svc.installation');
  const signed = await activatePayout(
    {
      installation: rows[0]?.id ?? '',
      accountId: account.accountId,
      mode: 'test',
      network: evmNetwork(31_337),
      asset: USDC.toLowerCase(),
      ...terms,
    },
    { approver },
  );
  await seedDirectPayout(database.pool, signed.activation, options);
  if (readable) await startReader(database);
  return signed;
}
