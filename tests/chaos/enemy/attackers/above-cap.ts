import { type Attacker, itemAt } from '../attacker.ts';
import { fund } from '../fund.ts';
import { openIntent, settleHostile } from '../hostile-payment.ts';
import { type EnemyPayer, payerNamed, signPayment } from '../sign-payment.ts';

const CAP_USD = 1_000_000_000n;
const DOLLAR = 1_000_000n;

/** More than a relayer may settle in an hour, and the same money behind every intent. */
export const aboveCap: Attacker<EnemyPayer> = {
  name: 'above the cap',
  finding: 'A3',
  perSecond: 8,
  addresses: 4,
  prepare: async (ground) => {
    const payer = payerNamed(ground.seed, 'whale');
    await fund(ground, [payer.address], 2n * CAP_USD * DOLLAR);
    return payer;
  },
  strike: async (blow, payer) => {
    const { ground, index } = blow;
    const shop = itemAt(ground.shops, index);
    // Every other one is signed above the cap for an intent of the usual price.
    const above = String(CAP_USD + 1n);
    const intent = await openIntent(blow, shop, { usdAmount: index % 2 === 0 ? above : ground.priceUsd });
    if (intent === undefined) return;
    const value = String((CAP_USD + 1n) * DOLLAR);
    await settleHostile(blow, shop, intent, await signPayment(payer, intent.acceptance, { value }));
  },
};
