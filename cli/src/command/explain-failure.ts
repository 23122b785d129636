// Explains a failure of a dependency. Driver messages may quote secrets that they were given, so they are printed only
// if known to be harmless.
import { type Failure, failed } from '../output/outcome.ts';
import { COMMAND } from './leaf.ts';

const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'ECONNRESET', 'EHOSTUNREACH', 'EAI_AGAIN']);

const BY_STATE: Readonly<Record<string, readonly [message: string, advice: string]>> = {
  '28P01': ['The database refuses this user or password.', 'Correct the user and password in SVC_DATABASE_URL.'],
  '28000': ['The database refuses this user.', 'Correct SVC_DATABASE_URL, or let the user in (pg_hba.conf).'],
  '3D000': ['The database does not exist.', 'Create it, or correct the name at the end of SVC_DATABASE_URL.'],
  '3F000': ['The database has not been migrated.', `Run \`${COMMAND} migrate\`.`],
  '42P01': ['The database has not been migrated to this release.', `Run \`${COMMAND} migrate\`.`],
  '42883': ['The database has not been migrated to this release.', `Run \`${COMMAND} migrate\`.`],
  '42501': [
    'The database does not let this user do that.',
    'Operators log in with a role that is a member of svc_migrator.',
  ],
  '57014': ['The database gave up on a statement that took too long.', 'Look at its load, then try again.'],
  '57P03': ['The database is starting up or shutting down.', 'Try again in a moment.'],
  '53300': ['The database has no connection left.', 'Raise max_connections or stop something.'],
};

export function explainFailure(problem: unknown): Failure {
  const { code, message } = codeAndMessageOf(problem);
  if (UNREACHABLE.has(code) || /timeout exceeded when trying to connect|Connection terminated/.test(message)) {
    return failed(
      'database_unreachable',
      'The database does not answer.',
      `Check that the server runs and that SVC_DATABASE_URL points to it; \`${COMMAND} doctor\` looks closer.`,
    );
  }
  const known = BY_STATE[code];
  if (known !== undefined) return failed('database_refused', ...known);
  return failed('unexpected', `Something went wrong that should not: ${message}`, 'Please report it with these words.');
}

/** If all addresses of a host fail, Node throws one AggregateError without a code. */
function codeAndMessageOf(problem: unknown): { readonly code: string; readonly message: string } {
  if (problem instanceof AggregateError && problem.errors.length > 0) return codeAndMessageOf(problem.errors[0]);
  const code = (problem as { code?: unknown } | null)?.code;
  return {
    code: typeof code === 'string' ? code : '',
    message: problem instanceof Error ? problem.message : 'no reason given',
  };
}
