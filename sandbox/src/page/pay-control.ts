// Pay button for an order. The rest of the page follows the order status from the shop's server, not the events of the
// button.
import { TAG_NAME } from '@svc-pay/pay-button';
import type { OrderView } from '../shop/order.ts';
import { expectOf, type ShopFacts } from '../shop/shop-facts.ts';

export function payControl(facts: ShopFacts, { id, shown }: OrderView): HTMLElement {
  const { baseUrl, publishableKey } = facts;
  const button = document.createElement(TAG_NAME);
  const attributes = {
    'api-url': baseUrl,
    'publishable-key': publishableKey,
    amount: shown.amountAtomic,
    'token-shortcode': shown.tokenShortcode,
    mode: shown.kind,
    order: id,
    description: shown.name,
    'pay-to': expectOf(facts, shown).payTo,
  };
  for (const [name, value] of Object.entries(attributes)) button.setAttribute(name, value);
  return button;
}
