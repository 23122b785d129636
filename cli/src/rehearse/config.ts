// Settings of `svc rehearse`: the merchant's, the provider, and a second account for the direct payment.
import { readFileSync } from 'node:fs';
import { type Environment, httpUrl, optional, readSettings, secret, text } from '@svc-pay/runtime/config';
import { MERCHANT_SETTINGS, readMerchantConfig } from '../merchant/config.ts';

export const REHEARSE_SETTINGS = {
  ...MERCHANT_SETTINGS,
  rpcUrl: secret(
    httpUrl({
      name: 'SVC_RPC_URL',
      about: 'RPC node of the test network. The address may contain a key, and is never written down.',
    }),
  ),
  directKey: optional(
    secret(
      text({
        name: 'SVC_REHEARSE_DIRECT_KEY',
        about: 'Secret key, `sk_test_…`, of an account with a direct payout: the direct payment is made to it.',
      }),
    ),
  ),
  directKeyFile: optional(
    text({
      name: 'SVC_REHEARSE_DIRECT_KEY_FILE',
      about: 'File with the value of `SVC_REHEARSE_DIRECT_KEY`. Set either this or `SVC_REHEARSE_DIRECT_KEY`.',
    }),
  ),
};

export type RehearseConfig = {
  readonly apiUrl: string;
  readonly secretKey: string;
  readonly directKey: string | undefined;
  readonly rpcUrl: string;
};

export type ReadRehearseConfig =
  | { readonly ok: true; readonly config: RehearseConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

const TEST_KEY = /^sk_test_\w+$/;

/** Reports problems by the name of the variable and never by its value. A live key is refused. */
export function readRehearseConfig(environment: Environment, apiUrl: string | undefined): ReadRehearseConfig {
  const merchant = readMerchantConfig(environment, apiUrl);
  if (!merchant.ok) return merchant;
  const { rpcUrl, directKey, directKeyFile } = REHEARSE_SETTINGS;
  const read = readSettings({ rpcUrl, directKey, directKeyFile }, environment);
  if (!read.ok) return read;
  const problem = (said: string) => ({ ok: false, problems: [said] }) as const;
  if (!TEST_KEY.test(merchant.config.secretKey))
    return problem('SVC_SECRET_KEY is a live key: a rehearsal takes a key of test mode, sk_test_…');
  if (read.values.directKey !== undefined && read.values.directKeyFile !== undefined)
    return problem('SVC_REHEARSE_DIRECT_KEY and SVC_REHEARSE_DIRECT_KEY_FILE are both set: take one of them');
  const direct = read.values.directKeyFile === undefined ? read.values.directKey : contentOf(read.values.directKeyFile);
  if (read.values.directKeyFile !== undefined && direct === undefined)
    return problem('SVC_REHEARSE_DIRECT_KEY_FILE names a file that can’t be read');
  if (direct !== undefined && !TEST_KEY.test(direct))
    return problem('SVC_REHEARSE_DIRECT_KEY must hold a secret key of test mode, sk_test_…');
  return { ok: true, config: { ...merchant.config, directKey: direct, rpcUrl: read.values.rpcUrl } };
}

/** A private key in a file; undefined if there is none. */
export function readPayerKey(file: string): `0x${string}` | undefined {
  const text = contentOf(file) ?? '';
  return /^0x[0-9a-fA-F]{64}$/.test(text) ? (text as `0x${string}`) : undefined;
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
