// A Solana payer without a page: the browser's SDK in Node, with a wallet that accepts. The wallet never has any SOL.
import { createSvcPay, type SvcPay } from '@svc-pay/sdk';
import { solanaWallet } from '@svc-pay/sdk/solana';
import type { ShopFacts } from '../shop/shop-facts.ts';
import type { SolanaKey } from './solana-key.ts';
import { createSolanaTestWallet, type SolanaTestWalletOptions } from './solana-test-wallet.ts';

export function payerOnSolana(
  { baseUrl, publishableKey }: Pick<ShopFacts, 'baseUrl' | 'publishableKey'>,
  key: SolanaKey,
  confirm: SolanaTestWalletOptions['confirm'] = async () => true,
): SvcPay {
  const wallet = createSolanaTestWallet({ ...key, name: '', icon: '', confirm });
  return createSvcPay({ baseUrl, publishableKey, wallet: solanaWallet({ wallet }) });
}
