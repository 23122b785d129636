import { type Attacker, itemAt, nothing } from '../attacker.ts';
import { fund } from '../fund.ts';
import { openIntent, settleHostile } from '../hostile-payment.ts';
import { payerNamed, signPayment } from '../sign-payment.ts';

/** Too few for the service on a chain with blocks of a second, and one more than it asks for. */
const WINDOWS_SECONDS = [3, 6, 9, 11];

/** Signatures that end before, or just when, their transaction would be mined. */
export const expiringSignatures: Attacker<undefined> = {
  name: 'expiring signatures',
  finding: 'A9',
  perSecond: 8,
  addresses: 4,
  prepare: nothing,
  strike: async (blow) => {
    const { ground, index } = blow;
    const payer = payerNamed(ground.seed, `expiring ${index}`);
    await fund(ground, [payer.address], BigInt(ground.priceAtomic));
    const shop = itemAt(ground.shops, index);
    const intent = await openIntent(blow, shop, { usdAmount: ground.priceUsd });
    if (intent === undefined) return;
    const windowSeconds = itemAt(WINDOWS_SECONDS, index);
    await settleHostile(blow, shop, intent, await signPayment(payer, intent.acceptance, { windowSeconds }));
  },
};
