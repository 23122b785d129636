// EVM test wallet inside the page: announces itself by EIP-6963, and shows what it signs before it signs.
import type { ShopFacts } from '../shop/shop-facts.ts';
import { showAmount } from '../shop/show-amount.ts';
import { describeQuestion } from '../wallet/describe-question.ts';
import { createTestProvider, type TestProvider } from '../wallet/test-provider.ts';
import { askPayer } from './ask-payer.ts';
import { showChip, WALLET_ICON } from './wallet-chip.ts';

const RDNS = 'test.svc-pay.sandbox';
const NAME = 'Test wallet';
const BALANCE_OF = '0x70a08231';

export function installTestWallet({ wallet, solana, icp, order }: ShopFacts): void {
  const provider = createTestProvider({
    ...wallet,
    confirm: (question) => askPayer(describeQuestion(question), NAME),
  });
  announce(provider);
  const others = [solana?.tokenShortcode, icp?.tokenShortcode];
  if (order !== null && others.includes(order.shown.tokenShortcode)) return;
  showChip(NAME, provider.address, () => balanceOf(provider, wallet.asset));
}

function announce(provider: TestProvider): void {
  const info = Object.freeze({ uuid: crypto.randomUUID(), name: NAME, icon: WALLET_ICON, rdns: RDNS });
  const detail = Object.freeze({ info, provider });
  const announceProvider = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  window.addEventListener('eip6963:requestProvider', announceProvider);
  announceProvider();
}

async function balanceOf(provider: TestProvider, asset: string): Promise<string> {
  const data = `${BALANCE_OF}${provider.address.slice(2).toLowerCase().padStart(64, '0')}`;
  const told = await provider.request({ method: 'eth_call', params: [{ to: asset, data }, 'latest'] });
  return showAmount(BigInt(told as string));
}
