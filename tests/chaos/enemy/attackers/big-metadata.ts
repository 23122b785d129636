import { type Attacker, itemAt, nothing } from '../attacker.ts';
import { CREATE, TOKEN } from '../hostile-payment.ts';

const METADATA = { note: 'x'.repeat(15_500) };

/** Intents with as much metadata as a request may carry. */
export const bigMetadata: Attacker<undefined> = {
  name: 'big metadata',
  finding: 'D, 4',
  perSecond: 10,
  addresses: 10,
  prepare: nothing,
  strike: async ({ ground, index, ask }) => {
    const { publishableKey: key } = itemAt(ground.shops, index);
    await ask({ path: CREATE, key, body: { usdAmount: ground.priceUsd, tokenShortcode: TOKEN, metadata: METADATA } });
  },
};
