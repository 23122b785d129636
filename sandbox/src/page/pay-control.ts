// How an order is paid in the page. This is the one place that knows the control; the rest of the page goes by what the
// shop's server says of the order.
import { createSvcPay, SvcPayError } from '@svc-pay/sdk';
import { evmWallet } from '@svc-pay/sdk/evm';
import type { OrderView } from '../shop/order.ts';
import type { ShopFacts } from '../shop/shop-facts.ts';
import { showAmount } from '../shop/show-amount.ts';
import { WALLET_RDNS } from './test-wallet.ts';

export function payControl(facts: ShopFacts, order: OrderView): HTMLElement {
  const { baseUrl, publishableKey, expect } = facts;
  const { shown } = order;
  const wallet = evmWallet({ choose: (wallets) => wallets.find(({ rdns }) => rdns === WALLET_RDNS) ?? wallets[0] });
  const pay = createSvcPay({ baseUrl, publishableKey, wallet });
  const request = {
    amount: shown.amountAtomic,
    tokenShortcode: shown.tokenShortcode,
    description: shown.name,
    metadata: { order: order.id },
    expect,
  };
  const control = document.createElement('div');
  const button = document.createElement('button');
  const words = document.createElement('p');
  words.className = 'words';
  button.className = 'pay';
  const amount = `${showAmount(shown.amountAtomic)} USDC`;
  button.textContent = shown.kind === 'exact' ? `Pay ${amount}` : `Sign for up to ${amount}`;
  const work = async () => {
    button.disabled = true;
    words.textContent = 'Look at your wallet …';
    try {
      await (shown.kind === 'exact' ? pay.createPayment(request) : pay.createUptoAuthorization(request));
      words.textContent = 'Done. The shop will hear of it in a moment.';
    } catch (problem) {
      words.textContent = problem instanceof SvcPayError ? problem.message : 'Something went wrong.';
      button.disabled = problem instanceof SvcPayError && problem.moneyMoved === 'unknown';
    }
  };
  button.addEventListener('click', () => void work());
  control.append(button, words);
  return control;
}
