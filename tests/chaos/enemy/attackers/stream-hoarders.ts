import { type Attacker, itemAt } from '../attacker.ts';
import { openIntent } from '../hostile-payment.ts';

type Followed = { readonly intentId: string; readonly publishableKey: string };

const INTENTS = 40;

/** Opens event streams of its own intents at many shops and holds them. */
export const streamHoarders: Attacker<readonly Followed[]> = {
  name: 'stream hoarders',
  finding: 'C, 3',
  perSecond: 15,
  addresses: 10,
  prepare: async (ground, ask) => {
    const followed: Followed[] = [];
    for (let index = 0; index < INTENTS; index += 1) {
      const { publishableKey, accountId } = itemAt(ground.shops, index);
      const intent = await openIntent({ ask }, { publishableKey, accountId }, { usdAmount: ground.priceUsd });
      if (intent !== undefined) followed.push({ intentId: intent.intentId, publishableKey });
    }
    return followed;
  },
  strike: async ({ index, hold }, followed) => {
    const { intentId, publishableKey } = itemAt(followed, index);
    await hold(`/sdk/public/payments/intents/${intentId}/stream?publishableKey=${publishableKey}`);
  },
};
