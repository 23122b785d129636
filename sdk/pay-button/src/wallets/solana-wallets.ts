// Solana wallets: those that register themselves with the page (Wallet Standard).
import { discoverSolanaWallets, type StandardWallet, solanaWallet } from '@svc-pay/sdk/solana';
import type { WalletKind, WalletOffer, WalletQuestion } from './wallet-kind.ts';

export function solanaWallets(): WalletKind {
  return { find: async (signal) => (await discoverSolanaWallets({ signal })).map(offerOf) };
}

const offerOf = (wallet: StandardWallet): WalletOffer => ({
  name: wallet.name,
  // Many wallets speak for both chains under one name.
  note: 'Solana',
  icon: wallet.icon.startsWith('data:image/') ? wallet.icon : '',
  open: ({ onQuestion, chooseToken }) => solanaWallet({ wallet: watched(wallet, onQuestion), chooseToken }),
});

const QUESTIONS: readonly (readonly [feature: string, method: string, question: WalletQuestion])[] = [
  ['standard:connect', 'connect', 'connect'],
  ['solana:signTransaction', 'signTransaction', 'sign'],
];

type Feature = Readonly<Record<string, unknown>>;

/** The same wallet, with a word each time it is about to show something to the payer. */
function watched(wallet: StandardWallet, onQuestion: (question: WalletQuestion) => void): StandardWallet {
  const features: Record<string, unknown> = { ...wallet.features };
  for (const [name, method, question] of QUESTIONS) {
    const feature = features[name] as Feature | undefined;
    const own = feature?.[method];
    if (feature === undefined || typeof own !== 'function') continue;
    features[name] = {
      supportedTransactionVersions: feature['supportedTransactionVersions'],
      [method]: (...given: readonly unknown[]): unknown => {
        onQuestion(question);
        // Called on the feature itself: a wallet may keep its state in `this`.
        return own.apply(feature, given);
      },
    };
  }
  const { name, icon, chains } = wallet;
  return {
    name,
    icon,
    chains,
    features,
    get accounts() {
      return wallet.accounts;
    },
  };
}
