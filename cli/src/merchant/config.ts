// Settings of the merchant's commands. These commands call only the public API: no database, and no secret of the
// operator.
import { readFileSync } from 'node:fs';
import { type Environment, httpUrl, optional, readSettings, secret, text } from '@svc-pay/runtime/config';

export const MERCHANT_SETTINGS = {
  apiUrl: httpUrl({
    name: 'SVC_API_URL',
    about: 'Base address of the API. `--api-url` overrides it for one call.',
    fallback: 'http://127.0.0.1:8402',
  }),
  secretKey: optional(secret(text({ name: 'SVC_SECRET_KEY', about: 'Secret key of the account, `sk_test_…`.' }))),
  secretKeyFile: optional(
    text({
      name: 'SVC_SECRET_KEY_FILE',
      about: 'File with the secret key of the account. Set either this or `SVC_SECRET_KEY`.',
    }),
  ),
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
  const { secretKey, secretKeyFile, ...values } = read.values;
  if (secretKey !== undefined && secretKeyFile !== undefined)
    return { ok: false, problems: ['SVC_SECRET_KEY and SVC_SECRET_KEY_FILE are both set: take one of them'] };
  const name = secretKeyFile === undefined ? 'SVC_SECRET_KEY' : 'SVC_SECRET_KEY_FILE';
  const key = secretKeyFile === undefined ? (secretKey ?? '') : contentOf(secretKeyFile);
  if (key === undefined) return { ok: false, problems: [`${name} names a file that can't be read`] };
  if (key === '') return { ok: false, problems: ['SVC_SECRET_KEY is missing: a secret key, sk_test_… or sk_live_…'] };
  if (!SECRET_KEY.test(key)) return { ok: false, problems: [`${name} must hold a secret key, sk_test_… or sk_live_…`] };
  return { ok: true, config: { apiUrl: values.apiUrl, secretKey: key } };
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
