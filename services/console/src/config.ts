// Settings of the console. It holds no pepper, no master key and no key of anybody.
import {
  commaList,
  type Environment,
  httpUrl,
  logLevel,
  postgresUrl,
  readSettings,
  secret,
  text,
  type ValuesOf,
  wholeNumber,
} from '@svc-pay/runtime/config';

const PORT_MAX = 65_535;

export const CONSOLE_SETTINGS = {
  databaseUrl: secret(
    postgresUrl({
      name: 'SVC_DATABASE_URL',
      about: 'PostgreSQL database of the installation, as a role of group `svc_console`.',
    }),
  ),
  publicUrl: httpUrl({
    name: 'SVC_CONSOLE_URL',
    about:
      'Origin at which people open the console, without a path. Passkeys belong to its host name: with another one nobody can sign in. Plain http on localhost alone.',
  }),
  apiUrl: httpUrl({ name: 'SVC_API_URL', about: 'Base address of the API.', fallback: 'http://127.0.0.1:8402' }),
  adminUrl: httpUrl({
    name: 'SVC_ADMIN_URL',
    about: 'Base address of the admin service, in the same network.',
    fallback: 'http://127.0.0.1:8405',
  }),
  host: text({
    name: 'SVC_CONSOLE_HOST',
    about: 'Address that the listener for people binds.',
    fallback: '127.0.0.1',
  }),
  port: wholeNumber(
    { name: 'SVC_CONSOLE_PORT', about: 'Port of the listener for people; 0 takes a free one.', fallback: '8406' },
    0,
    PORT_MAX,
  ),
  metricsHost: text({
    name: 'SVC_CONSOLE_METRICS_HOST',
    about: 'Address that the listener for health and metrics binds. Keep it off the internet.',
    fallback: '127.0.0.1',
  }),
  metricsPort: wholeNumber(
    {
      name: 'SVC_CONSOLE_METRICS_PORT',
      about: 'Port of the listener for health and metrics; 0 takes a free one.',
      fallback: '8407',
    },
    0,
    PORT_MAX,
  ),
  trustedProxies: commaList({
    name: 'SVC_CONSOLE_TRUSTED_PROXIES',
    about: 'Addresses or ranges of the proxies before the console. Their `X-Forwarded-For` names the client.',
    fallback: '127.0.0.1, ::1',
  }),
  logLevel,
};

export type ConsoleConfig = ValuesOf<typeof CONSOLE_SETTINGS>;

type ReadConsoleConfig =
  | { readonly ok: true; readonly config: ConsoleConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

export function readConsoleConfig(environment: Environment = process.env): ReadConsoleConfig {
  const read = readSettings(CONSOLE_SETTINGS, environment);
  if (!read.ok) return read;
  const url = new URL(read.values.publicUrl);
  if (url.origin !== read.values.publicUrl)
    return { ok: false, problems: ['SVC_CONSOLE_URL is an origin: scheme, host and port, nothing behind them'] };
  // Browsers have passkeys on secure origins alone, and on localhost.
  if (url.protocol !== 'https:' && url.hostname !== 'localhost')
    return { ok: false, problems: ['SVC_CONSOLE_URL needs https; plain http works on localhost alone'] };
  return { ok: true, config: Object.freeze(read.values) };
}
