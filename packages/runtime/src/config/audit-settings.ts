import { base64Key } from './forms.ts';
import { optional, secret } from './setting.ts';

/** The command and the admin service sign with the same key. */
export const AUDIT_SIGNING_KEY = optional(
  secret(
    base64Key({
      name: 'SVC_AUDIT_SIGNING_KEY',
      about:
        'Private half of the Ed25519 key that signs the heads of the audit record, such as `openssl rand -base64 32` prints. Keep it away from the database.',
    }),
  ),
);
