// Many concurrent payers, each with a new wallet, to show how lanes fill their batches.
import { type LocalChain, newKey } from '@svc-pay/evm/local';
import { ITEMS } from '../shop/items.ts';
import { expectOf, type ShopFacts } from '../shop/shop-facts.ts';
import { payerInNode } from '../wallet/pay-in-node.ts';

/** Returns the number of payers that paid. */
export async function payAsCrowd(chain: LocalChain, facts: Omit<ShopFacts, 'order'>, payers: number): Promise<number> {
  const item = ITEMS.find(({ sale }) => sale.kind === 'exact');
  if (item?.sale.kind !== 'exact') return 0;
  const { priceAtomic } = item.sale;
  const crowd = Array.from({ length: payers }, () => payerInNode({ facts, key: newKey() }));
  await Promise.all(crowd.map(({ key }) => chain.mint(chain.tokens.usdc, key.account.address, priceAtomic)));
  const payments = crowd.map(({ pay }) =>
    pay.createPayment({
      amount: String(priceAtomic),
      tokenShortcode: item.tokenShortcode,
      description: 'One of a crowd',
      expect: expectOf(facts, { tokenShortcode: item.tokenShortcode, kind: item.sale.kind }),
    }),
  );
  const ends = await Promise.allSettled(payments);
  return ends.filter(({ status }) => status === 'fulfilled').length;
}
