// Secrets of a new installation, each the content of one file.
import { randomBytes } from 'node:crypto';
import type { InitChoices } from './choices.ts';
import { newIdentityPem } from './ed25519-keys.ts';
import { databaseSecretOf, IDENTITY_FILE, loginOf, programsOf } from './folder-layout.ts';

/** Contents by file name. */
export type SecretFiles = ReadonlyMap<string, string>;

const random = () => randomBytes(32).toString('base64');
/** Without characters that an address escapes. */
const randomPassword = () => randomBytes(32).toString('base64url');

/** Keeps every secret of `existing` and makes the others. */
export function completeSecrets(choices: InitChoices, existing: SecretFiles): SecretFiles {
  const { form, database } = choices;
  const internalKey = existing.get('internal-key') ?? randomPassword();
  const made: readonly (readonly [string, () => string])[] = [
    ['key-pepper', random],
    ['master-keys', () => `1:${random()}`],
    ['internal-key', () => internalKey],
    // Settlement takes several while one is rotated, the API shows one.
    ['internal-keys', () => internalKey],
    ['audit-signing-key', random],
    [IDENTITY_FILE, newIdentityPem],
    ['relayer-password', randomPassword],
    ...programsOf(choices).map(
      (program) =>
        [databaseSecretOf(program), () => `postgres://${loginOf(program)}:${randomPassword()}@${database}`] as const,
    ),
    ...(form === 'compose' ? [['postgres-password', randomPassword] as const] : []),
  ];
  return new Map(made.map(([name, make]) => [name, existing.get(name) ?? make()]));
}

/** The secret of this name. Throws: the map is complete. */
export function secretOf(secrets: SecretFiles, name: string): string {
  const secret = secrets.get(name);
  if (secret === undefined) throw new Error(`no secret ${name}`);
  return secret;
}
