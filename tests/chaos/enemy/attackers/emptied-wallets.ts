import { setTimeout as sleep } from 'node:timers/promises';
import { type Attacker, itemAt, nothing } from '../attacker.ts';
import { fund } from '../fund.ts';
import { openIntent, settleHostile } from '../hostile-payment.ts';
import { payerNamed, signPayment } from '../sign-payment.ts';

/** After the simulation, before the block: blocks are a second apart. */
const DELAYS_MS = [100, 250, 400, 550];

/** A payer by key who takes the money away once the payment is on its way. */
export const emptiedWallets: Attacker<undefined> = {
  name: 'emptied wallets',
  finding: 'A11a, D4',
  perSecond: 4,
  addresses: 4,
  prepare: nothing,
  strike: async (blow) => {
    const { ground, index } = blow;
    const payer = payerNamed(ground.seed, `emptied ${index}`);
    await fund(ground, [payer.address], BigInt(ground.priceAtomic));
    const shop = itemAt(ground.shops, index);
    const intent = await openIntent(blow, shop, { usdAmount: ground.priceUsd });
    if (intent === undefined) return;
    const settling = settleHostile(blow, shop, intent, await signPayment(payer, intent.acceptance));
    await sleep(itemAt(DELAYS_MS, index));
    await fund(ground, [payer.address], 0n);
    await settling;
  },
};
