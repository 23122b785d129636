// EVM wallets: those that announce themselves (EIP-6963), else the injected one, else one that the page brought along.
import { discoverWallets, type Eip1193Provider, evmWallet, injectedProvider } from '@svc-pay/sdk/evm';
import type { WalletKind, WalletOffer, WalletQuestion } from './wallet-kind.ts';

/** With a provider, that one and no other. */
export function evmWallets(provider?: Eip1193Provider): WalletKind {
  return {
    async find(signal) {
      if (provider !== undefined) return [offerOf({ name: '', icon: '', provider })];
      const announced = await discoverWallets({ signal });
      if (announced.length > 0) return announced.map(offerOf);
      const injected = injectedProvider();
      return injected === undefined ? [] : [offerOf({ name: '', icon: '', provider: injected })];
    },
  };
}

type Found = { readonly name: string; readonly icon: string; readonly provider: Eip1193Provider };

const offerOf = ({ name, icon, provider }: Found): WalletOffer => ({
  name,
  note: '',
  icon: icon.startsWith('data:image/') ? icon : '',
  open: ({ onQuestion, chooseToken }) => evmWallet({ provider: watched(provider, onQuestion), chooseToken }),
});

const QUESTIONS: Readonly<Record<string, WalletQuestion>> = {
  eth_requestAccounts: 'connect',
  wallet_switchEthereumChain: 'switch-network',
  wallet_addEthereumChain: 'switch-network',
  eth_signTypedData_v4: 'sign',
};

type Call = Parameters<Eip1193Provider['request']>[0];

/** Selector of a token's `approve`. */
const APPROVE = '0x095ea7b3';

function questionOf({ method, params = [] }: Call): WalletQuestion | undefined {
  if (method !== 'eth_sendTransaction') return QUESTIONS[method];
  const [transaction] = params as readonly { readonly data?: unknown }[];
  return String(transaction?.data).startsWith(APPROVE) ? 'approve' : 'pay';
}

/** The same wallet, with a word each time it is about to show something to the payer. */
function watched(provider: Eip1193Provider, onQuestion: (question: WalletQuestion) => void): Eip1193Provider {
  return {
    async request(call) {
      const question = questionOf(call);
      if (question !== undefined) onQuestion(question);
      const answer = await provider.request(call);
      if (question === 'approve') onQuestion('approving');
      return answer;
    },
    // Called on the wallet itself: many keep their state in `this`.
    on: (event, listener) => provider.on?.(event, listener),
    removeListener: (event, listener) => provider.removeListener?.(event, listener),
  };
}
