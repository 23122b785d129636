import { randomBytes } from 'node:crypto';
import { type Attacker, itemAt } from '../attacker.ts';
import { type HostileIntent, openIntent, settleHostile } from '../hostile-payment.ts';
import { payerNamed, signPayment } from '../sign-payment.ts';

const INTENTS = 10;

/** Headers with random bytes for a signature, for a few intents over and over. */
export const junkSignatures: Attacker<readonly HostileIntent[]> = {
  name: 'junk signatures',
  finding: 'K',
  perSecond: 15,
  addresses: 3,
  prepare: async (ground, ask) => {
    const intents: HostileIntent[] = [];
    for (let index = 0; index < INTENTS; index += 1) {
      const intent = await openIntent({ ask }, itemAt(ground.shops, index), { usdAmount: ground.priceUsd });
      if (intent !== undefined) intents.push(intent);
    }
    return intents;
  },
  strike: async (blow, intents) => {
    const { ground, index } = blow;
    const intent = itemAt(intents, index);
    const payer = payerNamed(ground.seed, `junk ${index % 100}`);
    const signature = `0x${randomBytes(64).toString('hex')}1b` as const;
    const signed = await signPayment(payer, intent.acceptance, { signature });
    await settleHostile(blow, itemAt(ground.shops, index % intents.length), intent, signed);
  },
};
