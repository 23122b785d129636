// Wallets that the page made itself. On the Internet Computer none announces itself: a page connects a signer, and the SDK pays
// with it.
import type { PayerWallet } from '@svc-pay/sdk';
import type { WalletKind, WalletQuestion } from './wallet-kind.ts';

/** What a page hands to the button, by network. */
export type PageWallets = {
  /** `icpWallet({ signer })` of `@svc-pay/sdk/icp`, with the name that the payer knows it by. */
  readonly icp?: PageWallet;
};

type PageWallet = {
  readonly name: string;
  /** A data address of an image. */
  readonly icon?: string;
  readonly wallet: PayerWallet;
};

export function icpWallets({ icp }: PageWallets): WalletKind {
  if (icp === undefined) return { find: async () => [] };
  const { name, icon = '', wallet } = icp;
  const offer = {
    name,
    note: 'Internet Computer',
    icon: icon.startsWith('data:image/') ? icon : '',
    open: ({ onQuestion }: { readonly onQuestion: (question: WalletQuestion) => void }) => watched(wallet, onQuestion),
  };
  return { find: async () => [offer] };
}

/** The same wallet, with a word each time it is about to show something to the payer. */
function watched(wallet: PayerWallet, onQuestion: (question: WalletQuestion) => void): PayerWallet {
  const { payRegularly } = wallet;
  if (payRegularly === undefined) return wallet;
  return {
    ...wallet,
    payRegularly(options, call) {
      onQuestion('connect');
      const beforePay: typeof call.beforePay = async (terms) => {
        await call.beforePay(terms);
        onQuestion('pay');
      };
      return payRegularly(options, { ...call, beforePay });
    },
  };
}
