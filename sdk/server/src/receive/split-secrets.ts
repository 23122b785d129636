// Secrets are told apart by their prefix: `whsec_…` belongs to one endpoint, anything else is an account's secret key.
// What can't be a secret is refused here, where a person sees it, and never repeated in the message.
import { STANDARD_SECRET_PREFIX } from '@svc-pay/protocol/webhook';

export type SplitSecrets = { readonly accountKeys: readonly string[]; readonly endpointSecrets: readonly string[] };

export function splitSecrets(secrets: readonly string[]): SplitSecrets {
  if (!Array.isArray(secrets) || secrets.length === 0) throw new TypeError('a receiver needs a list of secrets');
  for (const [index, secret] of secrets.entries()) {
    const problem = problemOf(secret);
    if (problem !== undefined) throw new TypeError(`secrets[${index}] ${problem}`);
  }
  return {
    accountKeys: secrets.filter((secret) => !secret.startsWith(STANDARD_SECRET_PREFIX)),
    endpointSecrets: secrets.filter((secret) => secret.startsWith(STANDARD_SECRET_PREFIX)),
  };
}

function problemOf(secret: unknown): string | undefined {
  if (typeof secret !== 'string') return 'is not text; is its environment variable set?';
  if (secret === '') return 'is empty';
  if (/^\s|\s$/.test(secret)) return 'has white space around it';
  if (secret.startsWith('pk_')) return 'is a publishable key, which signs nothing';
  return undefined;
}
