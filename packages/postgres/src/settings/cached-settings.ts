// What the API remembers of accounts. Every column that these statements read is announced by a trigger
// (`svc.announce_settings`); a test derives the columns from the statements.
import type { AccountStatus, AuthenticatePorts, Caller, CreateIntentPorts, KeyIndexes } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { findAccountName } from '../account/find-account-name.ts';
import { findAccountStatus } from '../account/find-account-status.ts';
import { findKey } from '../account/find-key.ts';
import { loadMerchant } from '../payout/load-merchant.ts';
import { type SettingsCacheOptions, settingsCache } from './settings-cache.ts';

export type CachedSettings = Pick<AuthenticatePorts, 'findKey'> &
  Pick<CreateIntentPorts, 'loadMerchant'> & {
    readonly findAccountStatus: (accountId: Id<'account'>) => Promise<AccountStatus | undefined>;
    readonly findAccountName: (accountId: Id<'account'>) => Promise<string | undefined>;
  };

/** `cache` undefined: every call asks the database. */
export function createCachedSettings(pool: pg.Pool, cache: SettingsCacheOptions | undefined): CachedSettings {
  const asked: CachedSettings = {
    findKey: (indexes) => findKey(pool, indexes),
    loadMerchant: (caller) => loadMerchant(pool, caller),
    findAccountStatus: (accountId) => findAccountStatus(pool, accountId),
    findAccountName: (accountId) => findAccountName(pool, accountId),
  };
  if (cache === undefined) return asked;
  const byAccount = <Value>(ask: (accountId: Id<'account'>) => Promise<Value>) =>
    settingsCache(cache, { keyOf: (id: Id<'account'>) => id, accountOf: (id) => id, ask });
  return {
    findKey: settingsCache(cache, {
      keyOf: ([index]: KeyIndexes) => Buffer.from(index).toString('latin1'),
      accountOf: (_, { accountId }) => accountId,
      ask: asked.findKey,
    }),
    loadMerchant: settingsCache(cache, {
      keyOf: ({ accountId, mode }: Caller) => `${accountId}/${mode}`,
      accountOf: ({ accountId }) => accountId,
      ask: asked.loadMerchant,
    }),
    findAccountStatus: byAccount(asked.findAccountStatus),
    findAccountName: byAccount(asked.findAccountName),
  };
}
