import { type Attacker, itemAt, nothing } from '../attacker.ts';
import { openIntent, settleHostile } from '../hostile-payment.ts';
import { payerNamed, signPayment } from '../sign-payment.ts';

/** Good signatures of ever new keys that own nothing: each costs the service a question to the chain. */
export const emptyWallets: Attacker<undefined> = {
  name: 'empty wallets',
  finding: 'D5',
  perSecond: 6,
  addresses: 3,
  prepare: nothing,
  strike: async (blow) => {
    const { ground, index } = blow;
    const shop = itemAt(ground.shops, index);
    const intent = await openIntent(blow, shop, { usdAmount: ground.priceUsd });
    if (intent === undefined) return;
    const payer = payerNamed(ground.seed, `empty ${index}`);
    await settleHostile(blow, shop, intent, await signPayment(payer, intent.acceptance));
  },
};
