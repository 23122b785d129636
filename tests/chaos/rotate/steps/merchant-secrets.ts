// Keys and secrets of a merchant: the operator's command, or the merchant itself, replaces them.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { post } from '../../../e2e/wallet.ts';
import type { Drill, Step } from '../drill.ts';

type MadeKey = { readonly key: { readonly id: string; readonly text: string } };
type ListedKey = { readonly id: string; readonly kind: string; readonly createdAt: string };

/** Longer than a process remembers a key. */
const REMEMBERED_MS = 2_000;
const OVERLAP_SECONDS = 3;
const SETTLED_MS = 4_000;

async function oldKeyId({ ask, shop }: Drill, kind: string): Promise<string> {
  const { keys } = (await ask('keys', 'list', '--account', shop.accountId, '--mode', 'test')) as unknown as {
    keys: readonly ListedKey[];
  };
  const [oldest] = keys.filter((key) => key.kind === kind).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return oldest?.id ?? '';
}

const statusesWith = ({ apiUrls, shop }: Drill, key: string) =>
  Promise.all(
    apiUrls.map(async (url) => {
      const asked = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc' };
      return (await post(`${url}/sdk/public/payments/intents/x402`, key, { ...asked, accountId: shop.accountId }))
        .status;
    }),
  );

async function expectRefused(drill: Drill, old: string, next: string): Promise<void> {
  await sleep(REMEMBERED_MS);
  expect(await statusesWith(drill, old)).toEqual([401, 401]);
  expect(new Set(await statusesWith(drill, next)).has(401)).toBe(false);
  await drill.stage('the old key is refused');
}

export const rotateSecretKey: Step = async (drill) => {
  const { ask, shop, merchant, stage } = drill;
  const [old, oldId] = [shop.secretKey, await oldKeyId(drill, 'secret')];
  const rolled = await ask('keys', 'roll', '--account', shop.accountId, '--mode', 'test');
  const { key } = rolled as unknown as MadeKey;
  merchant.knows.signingKeys = [key.text, old];
  shop.secretKey = key.text;
  await stage('the merchant’s server shows the new secret key');
  await ask('keys', 'sign-with', key.id);
  await sleep(SETTLED_MS);
  merchant.knows.signingKeys = [key.text];
  await stage('webhooks are signed with the new secret key');
  await ask('keys', 'revoke', oldId);
  await expectRefused(drill, old, key.text);
};

export const rotatePublishableKey: Step = async (drill) => {
  const { ask, shop, stage } = drill;
  const [old, oldId] = [shop.publishableKey, await oldKeyId(drill, 'publishable')];
  const of = ['--account', shop.accountId, '--mode', 'test', '--kind', 'publishable'];
  const { key } = (await ask('keys', 'create', ...of)) as unknown as MadeKey;
  shop.publishableKey = key.text;
  await stage('pages have the new publishable key');
  await sleep(SETTLED_MS);
  await ask('keys', 'revoke', oldId);
  await expectRefused(drill, old, key.text);
};

export const rotateEndpointSecret: Step = async ({ apiUrls, shop, merchant, endpointId, stage }) => {
  const { endpointSecrets } = merchant.knows;
  const route = `${apiUrls[1]}/sdk/webhooks/endpoints/${endpointId}/rotate-secret`;
  const rotated = await post(route, shop.secretKey, { overlapSeconds: OVERLAP_SECONDS });
  expect(rotated.status).toBe(200);
  const { secret } = (await rotated.json()) as { secret: string };
  // Until the overlap ends the receiver verifies with either of them.
  await stage('deliveries have both signatures');
  merchant.knows.endpointSecrets = [secret, ...endpointSecrets];
  await sleep(OVERLAP_SECONDS * 1_000);
  merchant.knows.endpointSecrets = [secret];
  await stage('deliveries have the new signature alone');
};
