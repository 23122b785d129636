import { randomBytes } from 'node:crypto';
import { createSecretBox, type KeyHolder, type LeasedDelivery, secretKeyContext, systemClock } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createOpenSecrets } from './open-secrets.ts';

const MOST_REMEMBERED = 10_000;
const box = createSecretBox([{ number: 1, bytes: new Uint8Array(randomBytes(32)) }]);
const holder = (number: number): KeyHolder => ({ accountId: `acct_${number}`, mode: 'test' });

test('the keys of a holder that was prepared stay while a full memory takes in others', async () => {
  const secrets = createOpenSecrets(
    {
      loadSigningKeys: async (holders) =>
        holders.map((each) => ({
          ...each,
          id: 'key_a',
          signing: true,
          expiresAtMs: null,
          revoked: false,
          ciphertext: box.seal(`sk of ${each.accountId}`, secretKeyContext(each.accountId, 'key_a')),
        })),
    },
    box,
    systemClock,
  );
  const endpoint = { secretCiphertext: null, previousSecret: null, headersCiphertext: null };
  const open = (number: number) => secrets.open({ ...holder(number), endpointId: 'ep_a', endpoint } as LeasedDelivery);
  await secrets.prepare(Array.from({ length: MOST_REMEMBERED }, (_, number) => holder(number)));
  await secrets.prepare([holder(0)]);
  for (const number of [MOST_REMEMBERED, MOST_REMEMBERED + 1]) await secrets.prepare([holder(number)]);
  const signs = (number: number) => ({ signingKey: `sk of acct_${number}`, endpointSecrets: [], customHeaders: {} });
  expect([open(0), open(MOST_REMEMBERED)]).toEqual([signs(0), signs(MOST_REMEMBERED)]);
  expect(open(1)).toBe('the account has no key to sign with');
});
