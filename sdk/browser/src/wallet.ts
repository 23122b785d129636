// The seam between paying and a chain: everything a chain family knows is behind this type, so that a page which pays on
// one chain does not carry the others.
import type { Acceptance, PaymentHeader, RegularOption } from '@svc-pay/protocol';
import type { PayableOption } from './check/regular-acceptance.ts';
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
  /**
   * Pays one of the options with transactions of the payer's own, and resolves when the last of them was sent. Options that
   * the chain does not know are passed over. Throws SvcPayError and nothing else, with `moneyMoved: unknown` from the moment
   * that the wallet may send the money. Absent where a chain has no such flow.
   */
  readonly payRegularly?: (options: readonly RegularOption[], call: RegularCall) => Promise<RegularPayment>;
  /** Reads an option that `payRegularly` can pay; undefined for any other. Options of EVM chains unless told. */
  readonly readRegular?: (came: unknown) => PayableOption | undefined;
  /**
   * Resolves to true once a transaction that was sent earlier is known to have moved nothing, to false when that can't be said.
   * Shows the payer nothing. Never rejects.
   */
  readonly hasReverted?: (transactionId: string, call: WalletCall) => Promise<boolean>;
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

export type RegularCall = WalletCall & {
  readonly paymentIntentId: string;
  /** Names the intent on chain; undefined where the service did not say it. */
  readonly intentCode: number | undefined;
  /** A signature is good for so long at most. */
  readonly windowSeconds: number;
  /** False for a wallet that was found not to sign typed data. */
  readonly signsTypedData: boolean;
  /** Called right before the wallet is asked to send the money. Nothing is sent when it throws. */
  readonly beforePay: (terms: RegularTerms & { readonly expiresAt: string }) => Promise<void>;
};

/** What is sent: the amount in the token's smallest unit. */
export type RegularTerms = {
  readonly payer: string;
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
};

export type RegularPayment = RegularTerms & {
  /** Null where the wallet did not tell it. */
  readonly transactionId: string | null;
  /** Resolves to true once it is known that the transaction moved nothing, to false when that can't be said any more. */
  readonly reverted: (signal: AbortSignal) => Promise<boolean>;
};
