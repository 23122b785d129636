// Test wallet of the Internet Computer inside the page: a signer that the page hands to the pay button, and that asks before it signs.
import type { PageWallets } from '@svc-pay/pay-button';
import { icpWallet } from '@svc-pay/sdk/icp';
import type { ShopFacts } from '../shop/shop-facts.ts';
import { showAmount } from '../shop/show-amount.ts';
import { ledgerBalanceOf } from '../wallet/ask-token-ledger.ts';
import { describeCall } from '../wallet/describe-call.ts';
import { createIcpTestWallet } from '../wallet/icp-test-wallet.ts';
import { askPayer } from './ask-payer.ts';
import { nowMs } from './clock.ts';
import { showChip, WALLET_ICON } from './wallet-chip.ts';

const NAME = 'Test wallet on the Internet Computer';
const SYMBOL = 'ckUSDC';

export function icpPageWallets({ icp }: ShopFacts): PageWallets | undefined {
  if (icp === null) return undefined;
  const token = { ledger: icp.ledger, symbol: SYMBOL };
  const signer = createIcpTestWallet({ ...icp, confirm: (call) => askPayer(describeCall(call, token), NAME), nowMs });
  return { icp: { name: NAME, icon: WALLET_ICON, wallet: icpWallet({ signer }) } };
}

export function showIcpWallet({ icp, order }: ShopFacts): void {
  if (icp === null || order?.shown.tokenShortcode !== icp.tokenShortcode) return;
  const { url, ledger, principal } = icp;
  showChip(NAME, principal, async () => showAmount(await ledgerBalanceOf({ url, ledger, nowMs }, principal)), SYMBOL);
}
