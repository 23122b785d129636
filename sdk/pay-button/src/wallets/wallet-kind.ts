// The seam for chain families: each knows how to find its wallets on a page, and turns one into what the SDK signs with.
import type { PayerWallet } from '@svc-pay/sdk';
import type { ChooseToken } from '@svc-pay/sdk/evm';

export type WalletKind = {
  /** The wallets of this page, each once. Never rejects. */
  readonly find: (signal: AbortSignal) => Promise<readonly WalletOffer[]>;
};

export type WalletOffer = {
  readonly name: string;
  /** What tells it from another of the same name, or empty. */
  readonly note: string;
  /** A data address of an image, or empty. */
  readonly icon: string;
  readonly open: (watch: WalletWatch) => PayerWallet;
};

/** `approving` is no question: the network is waited for. */
export type WalletQuestion = 'connect' | 'switch-network' | 'sign' | 'approve' | 'approving' | 'pay';

/** What the button wants to know while a wallet is at work. */
type WalletWatch = {
  readonly onQuestion: (question: WalletQuestion) => void;
  readonly chooseToken: ChooseToken;
};
