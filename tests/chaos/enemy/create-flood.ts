// Creates without end, all with the publishable key of one shop. Honest payers of the same shop pay beside it.
import { type Attacker, itemAt, nothing } from './attacker.ts';
import { CREATE, TOKEN } from './hostile-payment.ts';

type Flood = {
  readonly name: string;
  readonly addresses: number;
  readonly perSecond: number;
  /** Which of the shops is flooded. */
  readonly shop: number;
};

export function createFlood({ name, addresses, perSecond, shop }: Flood): Attacker<undefined> {
  return {
    name,
    finding: 'F',
    perSecond,
    addresses,
    prepare: nothing,
    strike: async ({ ground, ask }) => {
      const { publishableKey: key } = itemAt(ground.shops, shop);
      await ask({ path: CREATE, key, body: { usdAmount: ground.priceUsd, tokenShortcode: TOKEN } });
    },
  };
}
