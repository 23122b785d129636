// The shop's signing key and its two endpoints: one gets every event, the other the results of payments.
import { secretKeyContext } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { ACCOUNT } from './merchant.ts';
import { type Simulation, START_MS } from './simulation.ts';
import { SECRET_BOX } from './webhooks-process.ts';

const EVENT_TYPES = [
  'payment_intent.created',
  'payment.created',
  'payment.updated',
  'payment.completed',
  'payment.failed',
];

export function seedWebhooks({ tables, dice }: Simulation): void {
  const keyId = newId('key', 0, () => new Uint8Array(10));
  tables.signingKeys.push({
    ...ACCOUNT,
    id: keyId,
    ciphertext: SECRET_BOX.seal('sk_simulated', secretKeyContext(ACCOUNT.accountId, keyId)),
    signing: true,
    expiresAtMs: null,
    revoked: false,
  });
  for (const number of [1, 2]) {
    const id = newId('endpoint', 0, () => new Uint8Array(10).fill(number));
    tables.endpoints.set(id, {
      ...ACCOUNT,
      id,
      url: `https://shop-${number}.example/hook`,
      retryCount: dice.pick([3, 10, 12]),
      timeoutMs: 5_000 * number,
      eventTypes: number === 1 ? EVENT_TYPES : EVENT_TYPES.slice(3),
      status: 'enabled',
      disabledReason: null,
      failingSinceMs: null,
      changedAtMs: START_MS,
    });
  }
}
