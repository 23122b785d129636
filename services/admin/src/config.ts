// Settings of the admin service. It makes API keys: it has the pepper and the public half of the master key, so it opens no
// key that is stored.
import {
  AUDIT_SIGNING_KEY,
  type Environment,
  keyPeppers,
  logLevel,
  optional,
  postgresUrl,
  readSettings,
  sealingKey,
  secret,
  text,
  type ValuesOf,
  wholeNumber,
} from '@svc-pay/runtime/config';

const PORT_MAX = 65_535;

export const ADMIN_SETTINGS = {
  databaseUrl: secret(
    postgresUrl({
      name: 'SVC_DATABASE_URL',
      about: 'PostgreSQL database of the installation, as a role of group `svc_admin`.',
    }),
  ),
  keyPeppers: secret(
    keyPeppers({
      name: 'SVC_KEY_PEPPER',
      about:
        'Secret that hashes API keys and operators’ keys before they are stored. Replace it only by the steps of docs/operate/rotate-secrets.md: without them every key stops working.',
    }),
  ),
  sealingKey: sealingKey({
    name: 'SVC_SEAL_KEY',
    about:
      'Public half of the master key, as `npm run svc -- keys seal-key` prints it. The service encrypts new secret keys with it.',
  }),
  auditSigningKey: AUDIT_SIGNING_KEY,
  auditExportFile: optional(
    text({
      name: 'SVC_AUDIT_EXPORT_FILE',
      about:
        'File to which the service adds a signed head of the audit record every hour, if there are new entries. The log has the same line.',
    }),
  ),
  host: text({
    name: 'SVC_ADMIN_HOST',
    about:
      'Address that the admin listener binds. Keep it off the internet: reach it through a tunnel or a proxy of yours.',
    fallback: '127.0.0.1',
  }),
  port: wholeNumber(
    { name: 'SVC_ADMIN_PORT', about: 'Port of the admin listener; 0 takes a free one.', fallback: '8405' },
    0,
    PORT_MAX,
  ),
  logLevel,
};

export type AdminConfig = ValuesOf<typeof ADMIN_SETTINGS>;

export type ReadAdminConfig =
  | { readonly ok: true; readonly config: AdminConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

export function readAdminConfig(environment: Environment = process.env): ReadAdminConfig {
  const read = readSettings(ADMIN_SETTINGS, environment);
  if (!read.ok) return read;
  const { auditExportFile, auditSigningKey } = read.values;
  if (auditExportFile !== undefined && auditSigningKey === undefined)
    return { ok: false, problems: ['SVC_AUDIT_EXPORT_FILE needs SVC_AUDIT_SIGNING_KEY'] };
  return { ok: true, config: Object.freeze(read.values) };
}
