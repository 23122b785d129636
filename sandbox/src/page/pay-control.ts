// Pay button for an order: pays the intent that the shop's server made. The rest of the page follows the order status from the shop's server, not the events of the
// button.
import { TAG_NAME } from '@svc-pay/pay-button';
import type { OrderView } from '../shop/order.ts';
import { expectOf, type ShopFacts } from '../shop/shop-facts.ts';
import { showAmount } from '../shop/show-amount.ts';
import { icpPageWallets } from './icp-wallet.ts';

export function payControl(facts: ShopFacts, { id, shown, intentId, clientSecret }: OrderView): HTMLElement {
  const button = document.createElement(TAG_NAME);
  const attributes = {
    'api-url': facts.baseUrl,
    'payment-intent-id': intentId ?? '',
    'client-secret': clientSecret ?? '',
    'usd-amount': showAmount(shown.amountAtomic),
    'token-shortcode': shown.tokenShortcode,
    mode: shown.kind,
    order: id,
    'pay-to': expectOf(facts, shown).payTo,
  };
  for (const [name, value] of Object.entries(attributes)) button.setAttribute(name, value);
  button.wallets = icpPageWallets(facts);
  return button;
}
