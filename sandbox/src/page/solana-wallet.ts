// Solana test wallet inside the page: registers by the Wallet Standard, and asks before it signs.
import type { ShopFacts } from '../shop/shop-facts.ts';
import { showAmount } from '../shop/show-amount.ts';
import { tokenBalanceOf } from '../wallet/ask-solana.ts';
import { describeTransfer } from '../wallet/describe-transfer.ts';
import { createSolanaTestWallet } from '../wallet/solana-test-wallet.ts';
import { askPayer } from './ask-payer.ts';
import { showChip, WALLET_ICON } from './wallet-chip.ts';

const NAME = 'Test wallet on Solana';

export function installSolanaWallet({ solana, order }: ShopFacts): void {
  if (solana === null) return;
  const { address, secret, rpcUrl, asset } = solana;
  const wallet = createSolanaTestWallet({
    address,
    secret,
    name: NAME,
    icon: WALLET_ICON,
    confirm: (transaction) => askPayer(describeTransfer(transaction), NAME),
  });
  register(wallet);
  if (order?.shown.tokenShortcode !== solana.tokenShortcode) return;
  showChip(NAME, address, async () => showAmount(await tokenBalanceOf(rpcUrl, address, asset)));
}

type Api = { readonly register: (...wallets: unknown[]) => unknown };

function register(wallet: unknown): void {
  const announce = (api: Api) => void api.register(wallet);
  window.addEventListener('wallet-standard:app-ready', (event) => announce((event as CustomEvent<Api>).detail));
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: announce }));
}
