// The environment of a service: its own settings and nothing that another service needs.
import type { Environment } from '../config/read-settings.ts';
import { fileNameOf } from '../config/secret-file.ts';
import { SERVICE_SETTINGS } from '../config/service-settings.ts';
import type { ServiceName } from './find-service.ts';

/** What Node, the locale, TLS, the way through a proxy and files of systemd need. */
const BASIC =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|TZ|LANG|LANGUAGE|LC_[A-Z]+|LD_LIBRARY_PATH|NODE_[A-Z_]+|SSL_CERT_(?:FILE|DIR)|CREDENTIALS_DIRECTORY|PGSSL[A-Z]+|(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy)$/;
/** What libraries of one service read by themselves: credentials of the KMS, headers of the receiver of traces. */
const OF_LIBRARIES: Readonly<Partial<Record<ServiceName, RegExp>>> = { settlement: /^AWS_/, api: /^OTEL_/ };
const OURS = /^SVC_/;

const isSettingOf = (service: ServiceName, name: string) =>
  (SERVICE_SETTINGS[service] as readonly string[]).includes(name);

/** The part of an environment that a service is given. */
export function environmentFor(service: ServiceName, environment: Environment): NodeJS.ProcessEnv {
  const isOwn = (name: string) =>
    isSettingOf(service, name) || BASIC.test(name) || OF_LIBRARIES[service]?.test(name) === true;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isOwn(name)));
}

/** `environmentFor` a service that this process starts, with `changes`. A changed secret replaces its file as well. */
export function childEnvironment(service: ServiceName, changes: Environment): NodeJS.ProcessEnv {
  const replaced = Object.fromEntries(Object.keys(changes).map((name) => [fileNameOf(name), undefined]));
  return environmentFor(service, { ...process.env, ...replaced, ...changes });
}

/** Removes settings that are not this service's from the environment of this process, and returns their names. */
export function dropForeignSettings(service: ServiceName, environment = process.env): readonly string[] {
  const foreign = Object.keys(environment).filter((name) => OURS.test(name) && !isSettingOf(service, name));
  for (const name of foreign) delete environment[name];
  return foreign.toSorted();
}
