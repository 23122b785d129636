import { type Attacker, itemAt } from '../attacker.ts';
import { fund } from '../fund.ts';
import { openIntent, settleHostile } from '../hostile-payment.ts';
import { payerNamed, type SignedPayment, signPayment } from '../sign-payment.ts';

type Kept = { signed: SignedPayment | undefined };

/** How often one header is shown, each time for another intent. */
const TIMES = 20;

/** One good header for many intents of many shops. */
export const replayedHeaders: Attacker<Kept> = {
  name: 'replayed headers',
  finding: 'A11c',
  perSecond: 6,
  addresses: 3,
  prepare: async () => ({ signed: undefined }),
  strike: async (blow, kept) => {
    const { ground, index } = blow;
    const shop = itemAt(ground.shops, index);
    const intent = await openIntent(blow, shop, { usdAmount: ground.priceUsd });
    if (intent === undefined) return;
    if (kept.signed === undefined || index % TIMES === 0) {
      const payer = payerNamed(ground.seed, `replayed ${index}`);
      await fund(ground, [payer.address], BigInt(ground.priceAtomic) * BigInt(TIMES));
      kept.signed = await signPayment(payer, intent.acceptance);
    }
    await settleHostile(blow, shop, intent, kept.signed);
  },
};
