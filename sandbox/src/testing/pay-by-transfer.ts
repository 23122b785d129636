// A visitor who pays on the Internet Computer, and whose page goes away in the middle.
import { nowMs } from '../page/clock.ts';
import type { ShopFacts } from '../shop/shop-facts.ts';
import { ledgerBalanceOf } from '../wallet/ask-token-ledger.ts';
import type { Visitor } from './open-browser.ts';

/** What the test wallet of the page holds. */
export async function balanceIn({ page }: Visitor): Promise<bigint> {
  const { icp } = JSON.parse((await page.textContent('#facts')) ?? '{}') as ShopFacts;
  if (icp === null) throw new Error('the shop has no Internet Computer');
  return ledgerBalanceOf({ ...icp, nowMs }, icp.principal);
}

/** A word that the page sends and never hears an answer to; `isLost` resolves when it was heard by whom it was for. */
export async function loseAnswer({ page }: Visitor, lost: 'transfer' | 'notify') {
  const address = lost === 'transfer' ? '**/canister/*/call' : '**/payments/notify';
  const { promise: isLost, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    const isLast = lost === 'transfer' || (route.request().postData() ?? '').includes('transactionId');
    if (!isLast) return route.continue();
    // The ledger hears of its transfer, and nobody hears its answer. The service hears nothing at all.
    if (lost === 'transfer') await route.fetch();
    return resolve();
  });
  return { isLost, hearAgain: () => page.unrouteAll({ behavior: 'ignoreErrors' }) };
}

/** Stages of the pay button from now on, over reloads. */
export async function noteStages({ page }: Visitor): Promise<() => Promise<readonly string[]>> {
  await page.addInitScript(() => {
    document.addEventListener('svc-pay-state', (event) => {
      const { state } = (event as CustomEvent<{ state: string }>).detail;
      sessionStorage.setItem('stages', `${sessionStorage.getItem('stages') ?? ''} ${state}`);
    });
  });
  return () =>
    page.evaluate(() => {
      const noted = sessionStorage.getItem('stages') ?? '';
      sessionStorage.removeItem('stages');
      return noted.split(' ').filter((stage) => stage !== '');
    });
}
