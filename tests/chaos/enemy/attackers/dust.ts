import { type Attacker, itemAt } from '../attacker.ts';
import { fund } from '../fund.ts';
import { openIntent, settleHostile } from '../hostile-payment.ts';
import { type EnemyPayer, payerNamed, signPayment } from '../sign-payment.ts';

/** Payments of one unit of the token: asked for outright, and signed for an intent of the usual price. */
export const dust: Attacker<EnemyPayer> = {
  name: 'dust',
  finding: 'A, A2',
  perSecond: 8,
  addresses: 4,
  prepare: async (ground) => {
    const payer = payerNamed(ground.seed, 'dust');
    await fund(ground, [payer.address], 1_000_000_000n);
    return payer;
  },
  strike: async (blow, payer) => {
    const { ground, index } = blow;
    const shop = itemAt(ground.shops, index);
    const asked = index % 2 === 0 ? { amount: '1' } : { usdAmount: ground.priceUsd };
    const intent = await openIntent(blow, shop, asked);
    if (intent === undefined) return;
    await settleHostile(blow, shop, intent, await signPayment(payer, intent.acceptance, { value: '1' }));
  },
};
