import { type Attacker, itemAt, nothing } from '../attacker.ts';
import { CREATE, TOKEN } from '../hostile-payment.ts';
import { orderKey } from '../order-key.ts';

/** Uses the idempotency keys that the shops' servers are about to use: the numbers of their orders. */
export const idempotencySquatters: Attacker<undefined> = {
  name: 'idempotency squatters',
  finding: 'B, A10h',
  perSecond: 20,
  addresses: 5,
  prepare: nothing,
  strike: async ({ ground, index, ask }) => {
    const { publishableKey: key } = itemAt(ground.shops, index);
    const number = Math.floor(index / ground.shops.length);
    const headers = { 'idempotency-key': orderKey(number) };
    await ask({ path: CREATE, key, headers, body: { usdAmount: '7', tokenShortcode: TOKEN } });
  },
};
