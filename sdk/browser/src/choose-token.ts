import type { Acceptance } from '@svc-pay/protocol';

/** A way to pay that the payer can afford. */
export type AffordableToken = {
  readonly acceptance: Acceptance;
  /** Digits in the token's smallest unit; absent where only the service has looked (Solana). */
  readonly heldAmount?: string;
};

/** Undefined means none of them. */
export type ChooseToken = (
  tokens: readonly AffordableToken[],
) => AffordableToken | undefined | Promise<AffordableToken | undefined>;
