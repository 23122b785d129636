// What an operator does to accounts, keys, limits and payouts, as plain data in and out. The admin service serves these
// actions as routes; the `svc` command calls the same routes, or the actions themselves if it works on the database.
import {
  type AccountStatus,
  KEY_KINDS,
  type KeyKind,
  type KeyScope,
  type KeySecrets,
  MODES,
  type Mode,
  type NewKey,
  newKey,
  type Payout,
  type PublishableRights,
} from '@svc-pay/core';
import { basisPoints, usdMicros } from '@svc-pay/money';
import { type Id, isId, newId } from '@svc-pay/protocol/ids';
import { readAccountLimits, setAccountLimits } from './account/account-limits.ts';
import { type ClosedAccount, closeAccount } from './account/close-account.ts';
import { createAccount } from './account/create-account.ts';
import { createKey } from './account/create-key.ts';
import { listAccounts } from './account/list-accounts.ts';
import { type KeyRow, listKeys } from './account/list-keys.ts';
import { type AccountRights, readPublishableRights, setPublishableRights } from './account/publishable-rights.ts';
import { type RevokedKey, revokeKey } from './account/revoke-key.ts';
import { rollKey } from './account/roll-key.ts';
import { type AccountPolicy, readMismatchPolicies, setMismatchPolicy } from './account/set-mismatch-policy.ts';
import { type SigningSwitch, signWithKey } from './account/sign-with-key.ts';
import type { Operation } from './audit/operation.ts';
import { type DisabledPayout, disablePayout } from './payout/disable-payout.ts';
import { listPayouts } from './payout/list-payouts.ts';

/** A key with its text: answered once, when the key is made. */
export type MadeKey = {
  readonly id: string;
  readonly mode: Mode;
  readonly kind: KeyKind;
  readonly text: string;
  readonly scopes: readonly KeyScope[] | null;
};

type ShownAccount = {
  readonly id: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly usableKeys: number;
  readonly createdAtMs: number;
};

type ShownLimits = {
  readonly mode: Mode;
  /** Decimal text; null: the minimum of each network applies. */
  readonly minimumUsdMicros: string | null;
  /** Requests per second of each key and class; null: the quota of the installation applies. */
  readonly ratePerSecond: number | null;
};
/** A policy as plain data. */
type ShownPolicy = Omit<AccountPolicy, 'toleranceUsdMicros' | 'toleranceBps'> & {
  readonly toleranceUsdMicros: string;
  readonly toleranceBps: number;
};

const shownPolicy = ({ toleranceUsdMicros, ...policy }: AccountPolicy): ShownPolicy => ({
  ...policy,
  toleranceUsdMicros: toleranceUsdMicros.toString(),
});

/** What is left out stays as it is. */
type OptionalFields<Fields> = { readonly [Each in keyof Fields]?: Fields[Each] | undefined };

type UnknownAccount = { readonly ok: false; readonly code: 'account_unknown' };
type OfAccount = { readonly accountId: string };

export type AdminActions = {
  /** Both modes, with a publishable and a secret key each. */
  readonly createAccount: (wanted: { readonly name: string }) => Promise<{
    readonly ok: true;
    readonly account: Pick<ShownAccount, 'id' | 'name'>;
    readonly keys: readonly MadeKey[];
  }>;
  /** Oldest first: `limit` accounts after the one with id `after`, or all. */
  readonly listAccounts: (page: {
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
  }) => Promise<{ readonly ok: true; readonly accounts: readonly ShownAccount[] }>;
  readonly getAccount: (wanted: OfAccount) => Promise<
    | {
        readonly ok: true;
        readonly account: ShownAccount;
        readonly limits: readonly ShownLimits[];
        readonly publishable: readonly AccountRights[];
        readonly mismatch: readonly ShownPolicy[];
      }
    | UnknownAccount
  >;
  readonly closeAccount: (wanted: OfAccount & { readonly now: boolean }) => Promise<ClosedAccount>;
  readonly setLimits: (
    wanted: OfAccount & { readonly mode: Mode } & OptionalFields<Omit<ShownLimits, 'mode'>>,
  ) => Promise<{ readonly ok: true } | UnknownAccount>;
  readonly setPublishable: (
    wanted: OfAccount & { readonly mode: Mode } & OptionalFields<PublishableRights>,
  ) => Promise<{ readonly ok: true; readonly publishable: AccountRights } | UnknownAccount>;
  readonly setMismatch: (
    wanted: OfAccount & { readonly mode: Mode } & OptionalFields<Omit<ShownPolicy, 'mode'>>,
  ) => Promise<{ readonly ok: true; readonly mismatch: ShownPolicy } | UnknownAccount>;
  readonly createKey: (
    wanted: OfAccount & { readonly mode: Mode; readonly kind: KeyKind; readonly scopes: readonly KeyScope[] | null },
  ) => Promise<{ readonly ok: true; readonly key: MadeKey; readonly signs: boolean } | UnknownAccount>;
  readonly listKeys: (filter: {
    readonly accountId?: string | undefined;
    readonly mode?: Mode | undefined;
  }) => Promise<{ readonly ok: true; readonly keys: readonly KeyRow[] }>;
  readonly rollKey: (wanted: OfAccount & { readonly mode: Mode; readonly overlapMs: number }) => Promise<
    | {
        readonly ok: true;
        readonly key: MadeKey;
        readonly rolled: { readonly id: string; readonly hint: string };
        readonly expiresAtMs: number;
      }
    | UnknownAccount
    | { readonly ok: false; readonly code: 'no_signing_key' }
    | { readonly ok: false; readonly code: 'roll_in_progress'; readonly keyId: string; readonly expiresAtMs: number }
  >;
  readonly signWithKey: (wanted: { readonly keyId: string }) => Promise<SigningSwitch>;
  readonly revokeKey: (wanted: { readonly keyId: string; readonly now: boolean }) => Promise<RevokedKey>;
  readonly listPayouts: (filter: {
    readonly accountId?: string | undefined;
    readonly mode?: Mode | undefined;
  }) => Promise<{ readonly ok: true; readonly payouts: readonly Payout[] }>;
  readonly disablePayout: (
    wanted: OfAccount & { readonly network: string; readonly payoutId: string },
  ) => Promise<DisabledPayout>;
};

/** `secrets` make keys; without them the actions that make keys throw. */
export function createAdminActions(operation: Operation, secrets: KeySecrets | undefined): AdminActions {
  const { pool, nowMs } = operation;
  const makeKey = (
    accountId: Id<'account'>,
    mode: Mode,
    kind: KeyKind,
    scopes: readonly KeyScope[] | null = null,
  ): NewKey => {
    if (secrets === undefined) throw new Error(`no secrets to make a key of account ${accountId} with`);
    return newKey(secrets, { accountId, mode }, kind, nowMs, scopes);
  };
  const shownLimits = async (accountId: string): Promise<readonly ShownLimits[]> =>
    (await readAccountLimits(pool, accountId)).map(({ minimumUsdMicros, ...limits }) => ({
      ...limits,
      minimumUsdMicros: minimumUsdMicros?.toString() ?? null,
    }));
  return {
    createAccount: async ({ name }) => {
      const id = newId('account', nowMs);
      const keys = MODES.flatMap((mode) => KEY_KINDS.map((kind) => makeKey(id, mode, kind)));
      await createAccount(operation, { id, name, keys: keys.map(({ record }) => record) });
      return { ok: true, account: { id, name }, keys: keys.map(madeKey) };
    },
    listAccounts: async (page) => ({ ok: true, accounts: await listAccounts(pool, nowMs, page) }),
    getAccount: async ({ accountId }) => {
      const [account] = await listAccounts(pool, nowMs, { id: accountId });
      if (account === undefined) return { ok: false, code: 'account_unknown' };
      const publishable = await readPublishableRights(pool, accountId);
      const mismatch = (await readMismatchPolicies(pool, accountId)).map(shownPolicy);
      return { ok: true, account, limits: await shownLimits(accountId), publishable, mismatch };
    },
    closeAccount: ({ accountId, now }) => closeAccount(operation, accountId, { now }),
    setLimits: async ({ accountId, mode, minimumUsdMicros: micros, ratePerSecond }) => {
      const found = await setAccountLimits(operation, accountId, {
        mode,
        ...(micros !== undefined && { minimumUsdMicros: micros === null ? null : usdMicros(BigInt(micros)) }),
        ...(ratePerSecond !== undefined && { ratePerSecond }),
      });
      return found ? { ok: true } : { ok: false, code: 'account_unknown' };
    },
    setPublishable: async ({ accountId, mode, origins, creates }) => {
      const publishable = await setPublishableRights(operation, accountId, mode, {
        ...(origins !== undefined && { origins }),
        ...(creates !== undefined && { creates }),
      });
      return publishable === undefined ? { ok: false, code: 'account_unknown' } : { ok: true, publishable };
    },
    setMismatch: async ({ accountId, mode, toleranceUsdMicros: micros, toleranceBps: bps, over, under }) => {
      const set = await setMismatchPolicy(operation, accountId, mode, {
        ...(micros !== undefined && { toleranceUsdMicros: usdMicros(BigInt(micros)) }),
        ...(bps !== undefined && { toleranceBps: basisPoints(bps) }),
        ...(over !== undefined && { over }),
        ...(under !== undefined && { under }),
      });
      return set === undefined ? { ok: false, code: 'account_unknown' } : { ok: true, mismatch: shownPolicy(set) };
    },
    createKey: async ({ accountId, mode, kind, scopes }) => {
      if (!isId('account', accountId)) return { ok: false, code: 'account_unknown' };
      const key = makeKey(accountId, mode, kind, scopes);
      const made = await createKey(operation, key.record);
      return made.ok ? { ok: true, key: madeKey(key), signs: made.signing } : made;
    },
    listKeys: async (filter) => ({ ok: true, keys: await listKeys(pool, filter, nowMs) }),
    rollKey: async ({ accountId, mode, overlapMs }) => {
      if (!isId('account', accountId)) return { ok: false, code: 'account_unknown' };
      const key = makeKey(accountId, mode, 'secret');
      const result = await rollKey(operation, key.record, overlapMs);
      if (!result.ok) return result;
      const { id, hint } = result.rolled;
      return { ok: true, key: madeKey(key), rolled: { id, hint }, expiresAtMs: result.expiresAtMs };
    },
    signWithKey: ({ keyId }) => signWithKey(operation, keyId),
    revokeKey: ({ keyId, now }) => revokeKey(operation, keyId, { now }),
    listPayouts: async (filter) => ({ ok: true, payouts: await listPayouts(pool, filter) }),
    disablePayout: ({ accountId, network, payoutId }) =>
      disablePayout(operation, { accountId, network, payoutId: BigInt(payoutId) }),
  };
}

function madeKey({ text, record: { id, mode, kind, scopes } }: NewKey): MadeKey {
  return { id, mode, kind, text, scopes };
}
