// Settings of the merchant's commands. These commands call only the public API: no database, and no secret of the
// operator.
import { type Environment, httpUrl, optional, readSettings, secret, text } from '@svc-pay/runtime/config';

export const MERCHANT_SETTINGS = {
  apiUrl: httpUrl({
    name: 'SVC_API_URL',
    about: 'Base address of the API. `--api-url` overrides it for one call.',
    fallback: 'http://127.0.0.1:8402',
  }),
  secretKey: optional(secret(text({ name: 'SVC_SECRET_KEY', about: 'Secret key of the account, `sk_test_…`.' }))),
};

export type MerchantConfig = { readonly apiUrl: string; readonly secretKey: string };

export type ReadMerchantConfig =
  | { readonly ok: true; readonly config: MerchantConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

const SECRET_KEY = /^sk_(?:test|live)_[0-9A-Za-z_]+$/;

/** Reports all problems together, by the name of the variable and never by its value. */
export function readMerchantConfig(environment: Environment, apiUrl: string | undefined): ReadMerchantConfig {
  const read = readSettings(MERCHANT_SETTINGS, {
    ...environment,
    ...(apiUrl !== undefined && { SVC_API_URL: apiUrl }),
  });
  if (!read.ok) return read;
  const { secretKey = '', apiUrl: baseUrl } = read.values;
  const name = environment['SVC_SECRET_KEY'] ? 'SVC_SECRET_KEY' : 'SVC_SECRET_KEY_FILE';
  if (secretKey === '')
    return { ok: false, problems: ['SVC_SECRET_KEY is missing: a secret key, sk_test_… or sk_live_…'] };
  if (!SECRET_KEY.test(secretKey))
    return { ok: false, problems: [`${name} must hold a secret key, sk_test_… or sk_live_…`] };
  return { ok: true, config: { apiUrl: baseUrl, secretKey } };
}
