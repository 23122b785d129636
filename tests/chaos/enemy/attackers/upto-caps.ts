import { type Attacker, itemAt } from '../attacker.ts';
import { fund } from '../fund.ts';
import { callOf, openIntent } from '../hostile-payment.ts';
import { type EnemyPayer, payerNamed, signPayment } from '../sign-payment.ts';

const CONFIRM = '/sdk/public/payments/intents/x402/upto/confirm';

/** One wallet confirms caps without end; the service asks the chain about each of them until it ends. */
export const uptoCaps: Attacker<EnemyPayer> = {
  name: 'up-to caps',
  finding: 'A10g',
  perSecond: 6,
  addresses: 3,
  prepare: async (ground) => {
    const payer = payerNamed(ground.seed, 'caps');
    await fund(ground, [payer.address], 1_000_000_000n);
    return payer;
  },
  strike: async (blow, payer) => {
    const { ground, index, ask } = blow;
    const shop = itemAt(ground.shops, index);
    const intent = await openIntent(blow, shop, { amount: ground.priceAtomic, x402Upto: true });
    if (intent === undefined) return;
    const { header } = await signPayment(payer, intent.acceptance);
    await ask({ path: CONFIRM, key: shop.publishableKey, body: callOf(intent, header) });
  },
};
