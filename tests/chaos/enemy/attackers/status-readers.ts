import { type Attacker, itemAt } from '../attacker.ts';
import { openIntent } from '../hostile-payment.ts';

type Own = { readonly intentId: string; readonly publishableKey: string };

const INTENTS = 10;
const NOTIFY = '/sdk/public/payments/notify';

/** Asks over and over how its own intents stand. */
export const statusReaders: Attacker<readonly Own[]> = {
  name: 'status readers',
  finding: '6b',
  perSecond: 8,
  addresses: 2,
  prepare: async (ground, ask) => {
    const own: Own[] = [];
    for (let index = 0; index < INTENTS; index += 1) {
      const shop = itemAt(ground.shops, index);
      const intent = await openIntent({ ask }, shop, { usdAmount: ground.priceUsd });
      if (intent !== undefined) own.push({ intentId: intent.intentId, publishableKey: shop.publishableKey });
    }
    return own;
  },
  strike: async ({ index, ask }, own) => {
    const { intentId, publishableKey: key } = itemAt(own, index);
    if (index % 2 === 0) await ask({ method: 'GET', path: `/sdk/public/payments/intents/${intentId}`, key });
    else await ask({ path: NOTIFY, key, body: { paymentIntentId: intentId } });
  },
};
