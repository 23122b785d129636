// Names of what `svc init` writes, shared with the doctor, which checks it.
import type { ServiceName } from '@svc-pay/runtime/process/find-service';

/** The services, and the operator's command. */
export const PROGRAMS = ['api', 'settlement', 'webhooks', 'admin', 'console', 'command'] as const;
export type Program = ServiceName | 'command';

/** Those of an installation: the console is there if it was given an address. */
export const programsOf = ({ consoleUrl }: { readonly consoleUrl?: string | undefined }): readonly Program[] =>
  PROGRAMS.filter((program) => program !== 'console' || consoleUrl !== undefined);

/** Group role whose rights a program needs. */
export const GROUP_OF: Readonly<Record<Program, string>> = {
  api: 'svc_api',
  settlement: 'svc_settlement',
  webhooks: 'svc_webhooks',
  admin: 'svc_admin',
  console: 'svc_console',
  command: 'svc_migrator',
};

/** Role as which a program logs in. */
export const loginOf = (program: Program): string => `svc_pay_${program === 'command' ? 'operator' : program}`;

export const SECRETS_FOLDER = 'secrets';
export const RELAYERS_FOLDER = 'relayers';
export const ARCHIVE_FOLDER = 'archive';
export const NETWORKS_FILE = 'networks.json';
export const IDENTITY_FILE = 'engine-identity.pem';

export const environmentFileOf = (program: Program): string => `${program}.env`;
export const databaseSecretOf = (program: Program): string => `database-url-${program}`;

/** In every value that the operator still has to write. `.invalid` never resolves (RFC 2606). */
export const PLACEHOLDER = 'replace-me';
export const EVM_ADDRESS_PLACEHOLDER = `0x${'0'.repeat(40)}`;
/** The system program: nobody has its key. */
export const SOLANA_ADDRESS_PLACEHOLDER = '1'.repeat(32);
