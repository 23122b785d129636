// One account to try things with, made by the same use cases as every other.
import { createSecretBox, findChain, newKey, TOKENS } from '@svc-pay/core';
import { payoutTerms } from '@svc-pay/money';
import { createAccount, enableTokens, listAccounts, type Operation, setPayout } from '@svc-pay/postgres/operator';
import { parseNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { readOperatorConfig } from '../config.ts';
import { DEV_MERCHANT, DEV_NETWORKS } from './dev-networks.ts';
import type { DevAccount, DevSecrets } from './secrets.ts';

const FEE_BPS = 100;

/** The account of `secrets` if the database still has it, else a new one. */
export async function seedAccount(operation: Operation, secrets: DevSecrets): Promise<DevAccount> {
  const { account } = secrets;
  const known = await listAccounts(operation.pool, operation.nowMs);
  if (account !== undefined && known.some(({ id }) => id === account.id)) return account;
  return createDevAccount(operation, secrets);
}

async function createDevAccount(operation: Operation, secrets: DevSecrets): Promise<DevAccount> {
  const { nowMs } = operation;
  const accountId = newId('account', nowMs);
  const keySecrets = keySecretsOf(secrets);
  const owner = { accountId, mode: 'test' } as const;
  const publishable = newKey(keySecrets, owner, 'publishable', nowMs);
  const secret = newKey(keySecrets, owner, 'secret', nowMs);
  await createAccount(operation, { id: accountId, name: 'Development', keys: [publishable.record, secret.record] });

  const shortcodes = TOKENS.filter(({ network }) => findChain(network)?.mode === 'test').map(
    ({ shortcode }) => shortcode,
  );
  const enabled = await enableTokens(operation, { ...owner, shortcodes });
  if (!enabled.ok) throw new Error(`the development account can't have its tokens: ${enabled.code}`);
  for (const [name, { processor }] of Object.entries(DEV_NETWORKS)) {
    const network = parseNetwork(name);
    const terms = payoutTerms({ feeBps: FEE_BPS, splits: [] });
    if (network === undefined || !terms.ok) throw new Error(`the development network ${name} is not usable`);
    const payout = {
      ...owner,
      network,
      processor,
      merchant: DEV_MERCHANT,
      terms: terms.terms,
      status: 'active',
    } as const;
    const set = await setPayout(operation, payout);
    if (!set.ok) throw new Error(`the development account can't have its payout: ${set.code}`);
  }
  return { id: accountId, publishableKey: publishable.text, secretKey: secret.text };
}

function keySecretsOf({ pepper, masterKeys }: DevSecrets) {
  const read = readOperatorConfig(['keyPepper', 'masterKeys'], { SVC_KEY_PEPPER: pepper, SVC_MASTER_KEYS: masterKeys });
  if (!read.ok) throw new Error('the development secrets are damaged; start with --fresh');
  return { pepper: read.config.keyPepper, box: createSecretBox(read.config.masterKeys) };
}
