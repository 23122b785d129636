// A payer on the Internet Computer without a page: the browser's SDK in Node, with a wallet that accepts.
import type { Clock } from '@svc-pay/core';
import { createSvcPay, type SvcPay } from '@svc-pay/sdk';
import { icpWallet } from '@svc-pay/sdk/icp';
import type { ShopFacts } from '../shop/shop-facts.ts';
import { createIcpTestWallet, type IcpKey, type IcpTestWalletOptions } from './icp-test-wallet.ts';

export function payerOnIcp(
  { baseUrl, publishableKey, icp }: Pick<ShopFacts, 'baseUrl' | 'publishableKey' | 'icp'>,
  key: IcpKey,
  { nowMs }: Clock,
  confirm: IcpTestWalletOptions['confirm'] = async () => true,
): SvcPay {
  const signer = createIcpTestWallet({ ...key, url: icp?.url ?? '', confirm, nowMs });
  return createSvcPay({ baseUrl, publishableKey, wallet: icpWallet({ signer }) });
}
