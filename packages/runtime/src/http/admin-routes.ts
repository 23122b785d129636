// Routes of the admin API. The admin service serves this table and the `svc` command calls it, so that both do the same.
import {
  isPrintableName,
  KEY_KINDS,
  KEY_SCOPES,
  MAX_ORIGINS,
  MISMATCH_HANDLINGS,
  MODES,
  readOrigin,
} from '@svc-pay/core';
import { parseNetwork } from '@svc-pay/protocol';
import { isId } from '@svc-pay/protocol/ids';
import * as z from 'zod/mini';

const MAX_OVERLAP_MS = 7 * 86_400_000;
/** A billion dollars in millionths. */
const MAX_MICROS = 10n ** 15n;
const MAX_RATE = 1_000_000;
const MAX_BPS = 10_000;

const accountId = z.string().check(z.refine((text) => isId('account', text)));
const keyId = z.string().check(z.refine((text) => isId('key', text)));
const mode = z.enum(MODES);
const pageSize = z.string().check(z.regex(/^(?:[1-9]\d{0,2}|1000)$/));
const micros = z.string().check(
  z.regex(/^\d{1,16}$/),
  z.refine((text) => BigInt(text) <= MAX_MICROS),
);

export type AdminRoute = {
  readonly method: 'GET' | 'POST';
  /** Parameters of the path are fields of the input. The others come from the query of a GET and the body of a POST. */
  readonly path: string;
  readonly about: string;
  readonly input: z.ZodMiniType;
};

export const ADMIN_ROUTES = {
  createAccount: {
    method: 'POST',
    path: '/admin/accounts',
    about: 'Create an account with both modes and a publishable and a secret key for each. The keys are shown once.',
    input: z.strictObject({ name: z.string().check(z.refine(isPrintableName)) }),
  },
  listAccounts: {
    method: 'GET',
    path: '/admin/accounts',
    about: 'List accounts, oldest first: `limit` of them after the one named `after`.',
    input: z.strictObject({ after: z.optional(accountId), limit: z.optional(pageSize) }),
  },
  getAccount: {
    method: 'GET',
    path: '/admin/accounts/{accountId}',
    about: 'Show an account and its limits.',
    input: z.strictObject({ accountId }),
  },
  closeAccount: {
    method: 'POST',
    path: '/admin/accounts/{accountId}/close',
    about:
      'Close an account for good. With confirmed up-to payments only if `now` is true: they are never charged then.',
    input: z.strictObject({ accountId, now: z.optional(z.boolean()) }),
  },
  setLimits: {
    method: 'POST',
    path: '/admin/accounts/{accountId}/limits',
    about:
      'Set the smallest payment in millionths of a dollar (null leaves it to the networks), the requests per second of each key and class (null leaves it to the installation), or both.',
    input: z
      .strictObject({
        accountId,
        mode,
        minimumUsdMicros: z.optional(z.nullable(micros)),
        ratePerSecond: z.optional(z.nullable(z.int().check(z.gte(1), z.lte(MAX_RATE)))),
      })
      .check(z.refine(({ minimumUsdMicros: least, ratePerSecond: rate }) => least !== undefined || rate !== undefined)),
  },
  setPublishable: {
    method: 'POST',
    path: '/admin/accounts/{accountId}/publishable',
    about:
      'Set the origins whose pages may use the publishable keys (null: all), whether these keys create intents, or both.',
    input: z
      .strictObject({
        accountId,
        mode,
        origins: z.optional(z.nullable(z.array(z.string()).check(z.minLength(1), z.maxLength(MAX_ORIGINS)))),
        creates: z.optional(z.boolean()),
      })
      .check(
        z.refine(({ origins, creates }) => origins !== undefined || creates !== undefined),
        z.refine(({ origins, mode: of }) => origins?.every((origin) => readOrigin(origin, of) === origin) !== false),
      ),
  },
  setMismatch: {
    method: 'POST',
    path: '/admin/accounts/{accountId}/mismatch',
    about:
      'Set what is done with another amount than asked: the tolerance in millionths of a dollar and in basis points, of which the larger counts, and what more (`over`) and less (`under`) mean: `accept`, `hold` or `refund`. What is left out stays.',
    input: z
      .strictObject({
        accountId,
        mode,
        toleranceUsdMicros: z.optional(micros),
        toleranceBps: z.optional(z.int().check(z.gte(0), z.lte(MAX_BPS))),
        over: z.optional(z.enum(MISMATCH_HANDLINGS)),
        under: z.optional(z.enum(MISMATCH_HANDLINGS)),
      })
      .check(
        z.refine(
          ({ toleranceUsdMicros: usd, toleranceBps: bps, over, under }) =>
            usd !== undefined || bps !== undefined || over !== undefined || under !== undefined,
        ),
      ),
  },
  createKey: {
    method: 'POST',
    path: '/admin/accounts/{accountId}/keys',
    about: 'Create a key. Without `scopes` it may do everything that its kind may. Its text is shown once.',
    input: z.strictObject({
      accountId,
      mode,
      kind: z.enum(KEY_KINDS),
      scopes: z.optional(z.nullable(z.array(z.enum(KEY_SCOPES)))),
    }),
  },
  listKeys: {
    method: 'GET',
    path: '/admin/keys',
    about: 'List keys with scopes, state and last use, of one account or of all.',
    input: z.strictObject({ accountId: z.optional(accountId), mode: z.optional(mode) }),
  },
  rollKey: {
    method: 'POST',
    path: '/admin/accounts/{accountId}/keys/roll',
    about: 'Create a secret key that replaces the signing key, which stays valid for `overlapMs`.',
    input: z.strictObject({ accountId, mode, overlapMs: z.int().check(z.gte(0), z.lte(MAX_OVERLAP_MS)) }),
  },
  signWithKey: {
    method: 'POST',
    path: '/admin/keys/{keyId}/sign',
    about: 'Sign webhooks with this secret key from now on.',
    input: z.strictObject({ keyId }),
  },
  revokeKey: {
    method: 'POST',
    path: '/admin/keys/{keyId}/revoke',
    about: 'Revoke a key for good. The key that signs webhooks only if `now` is true; `signsNext` is its successor.',
    input: z.strictObject({ keyId, now: z.optional(z.boolean()) }),
  },
  listPayouts: {
    method: 'GET',
    path: '/admin/payouts',
    about: 'List payouts of one account or of all.',
    input: z.strictObject({ accountId: z.optional(accountId), mode: z.optional(mode) }),
  },
  disablePayout: {
    method: 'POST',
    path: '/admin/accounts/{accountId}/payouts/disable',
    about: 'End a direct payout, or one on Solana, at once, and the wallets that it replaced.',
    input: z.strictObject({
      accountId,
      network: z.string().check(z.refine((text) => parseNetwork(text) !== undefined)),
      payoutId: z.string().check(z.regex(/^\d{1,18}$/)),
    }),
  },
} as const satisfies Readonly<Record<string, AdminRoute>>;

export type AdminRouteName = keyof typeof ADMIN_ROUTES;

/** Names of the parameters of a path. */
export function parametersIn(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}
