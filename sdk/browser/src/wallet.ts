// The seam between paying and a chain: everything a chain family knows is behind this type, so that a page which pays on
// one chain does not carry the others.
import type { Acceptance, PaymentHeader } from '@svc-pay/protocol';
import type { Ports } from './ports.ts';

export type PayerWallet = {
  /** What the intent must say about this payer, where the chain wants it said first. */
  readonly intentFields?: (call: WalletCall) => Promise<{ readonly publicKey: string }>;
  /** Whether this wallet could sign such an acceptance at all. Asks nobody. */
  readonly canSign: (acceptance: Acceptance) => boolean;
  /**
   * Chooses one of the acceptances, every one of which was checked and fits what was asked, and has the payer sign it.
   * Throws SvcPayError and nothing else; never signs after the signal was aborted.
   */
  readonly authorize: (acceptances: readonly Acceptance[], call: SigningCall) => Promise<Authorized>;
};

export type WalletCall = {
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** Unix seconds by the service's clock. */
  readonly nowSeconds: () => number;
  /** How long one question to the wallet may take. */
  readonly walletTimeoutMs: number;
};

export type SigningCall = WalletCall & {
  readonly paymentIntentId: string;
  /** What `intentFields` told of the payer. */
  readonly publicKey: string | undefined;
  /**
   * Has the service make the transaction that pays an acceptance, where a chain wants a whole one signed. As often as
   * needed: nothing can come of it before it is signed. Throws SvcPayError and nothing else.
   */
  readonly prepare: (acceptance: Acceptance, publicKey: string) => Promise<PreparedTransaction>;
};

/** As the service tells it; to be checked before anybody signs. */
export type PreparedTransaction = { readonly transactionBase64: string; readonly feePayer: string };

export type Authorized = {
  /** The one that was signed: an element of what was handed in. */
  readonly acceptance: Acceptance;
  readonly header: PaymentHeader;
  readonly payer: string;
};
