// Creates one account to try the service, by the same use cases as any other account.

import { createSecretBox, newKey, TOKENS } from '@svc-pay/core';
import { createAccount, enableTokens, listAccounts, type Operation } from '@svc-pay/postgres/operator';
import { newId } from '@svc-pay/protocol/ids';
import { base64Bytes, masterKeys as readMasterKeys, readSettings } from '@svc-pay/runtime/config';
import type { DevAccount, DevSecrets } from './secrets.ts';

/** Returns the account of `secrets` if the database still has it, else creates one with all tokens of `network`. */
export async function seedAccount(operation: Operation, secrets: DevSecrets, network: string): Promise<DevAccount> {
  const { account } = secrets;
  const known = await listAccounts(operation.pool, operation.nowMs);
  if (account !== undefined && known.some(({ id }) => id === account.id)) return account;
  return createDevAccount(operation, secrets, network);
}

async function createDevAccount(operation: Operation, secrets: DevSecrets, network: string): Promise<DevAccount> {
  const { nowMs } = operation;
  const accountId = newId('account', nowMs);
  const keySecrets = keySecretsOf(secrets);
  const owner = { accountId, mode: 'test' } as const;
  const publishable = newKey(keySecrets, owner, 'publishable', nowMs);
  const secret = newKey(keySecrets, owner, 'secret', nowMs);
  await createAccount(operation, { id: accountId, name: 'Development', keys: [publishable.record, secret.record] });

  const shortcodes = TOKENS.filter((token) => token.network === network).map(({ shortcode }) => shortcode);
  const enabled = await enableTokens(operation, { ...owner, shortcodes });
  if (!enabled.ok) throw new Error(`the development account can't have its tokens: ${enabled.code}`);
  return { id: accountId, publishableKey: publishable.text, secretKey: secret.text };
}

const KEY_SECRETS = {
  pepper: base64Bytes({ name: 'pepper', about: 'Finds API keys without storing them.' }, 32),
  masterKeys: readMasterKeys({ name: 'masterKeys', about: 'Seal secret keys at rest.' }),
};

function keySecretsOf({ pepper, masterKeys }: DevSecrets) {
  const read = readSettings(KEY_SECRETS, { pepper, masterKeys });
  if (!read.ok) throw new Error('the development secrets are damaged; start with --fresh');
  return { pepper: read.values.pepper, box: createSecretBox(read.values.masterKeys) };
}
