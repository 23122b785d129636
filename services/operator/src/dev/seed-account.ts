// One account to try things with, made by the same use cases as every other.
import { createSecretBox, newKey, TOKENS } from '@svc-pay/core';
import { createAccount, enableTokens, listAccounts, type Operation } from '@svc-pay/postgres/operator';
import { newId } from '@svc-pay/protocol/ids';
import { readOperatorConfig } from '../config.ts';
import type { DevAccount, DevSecrets } from './secrets.ts';

/** The account of `secrets` if the database still has it, else a new one that takes every token of `network`. */
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

function keySecretsOf({ pepper, masterKeys }: DevSecrets) {
  const read = readOperatorConfig(['keyPepper', 'masterKeys'], { SVC_KEY_PEPPER: pepper, SVC_MASTER_KEYS: masterKeys });
  if (!read.ok) throw new Error('the development secrets are damaged; start with --fresh');
  return { pepper: read.config.keyPepper, box: createSecretBox(read.config.masterKeys) };
}
