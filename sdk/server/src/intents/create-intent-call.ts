import { isPositiveAtomic, isPositiveUsd } from '../call/amount.ts';
import { badCall, type CallFailure } from '../call/call-failure.ts';

export type CreateIntentCall = {
  /** Decimal text such as `'12.50'`, or a number. Rounded up to the token's smallest unit. For up-to: the cap. */
  readonly usdAmount?: string | number;
  /** Digits: the token's smallest unit. Needs a token. */
  readonly amount?: string;
  /** Such as `base_usdc`. Left out: the payer may choose among the tokens of the account. */
  readonly tokenShortcode?: string;
  /** The payer signs a cap, and you settle the real amount later. */
  readonly x402Upto?: boolean;
  /** Up-to only: how long the signature can be settled; a day when left out. */
  readonly maxTimeoutSeconds?: number;
  readonly description?: string;
  readonly resource?: string;
  readonly mimeType?: string;
  /** At most 50 keys and 16 KiB. It comes back in every event of the intent. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The payer on Solana. */
  readonly publicKey?: string;
  /** Nobody else can pay it. */
  readonly expectedSenderPrincipal?: string;
};

export function checkIntentCall({ usdAmount, amount }: CreateIntentCall): CallFailure | undefined {
  if (usdAmount === undefined && amount === undefined) return badCall('amount_missing', 'usdAmount');
  if (usdAmount !== undefined && !isPositiveUsd(usdAmount)) return badCall('invalid_amount', 'usdAmount');
  if (amount !== undefined && !isPositiveAtomic(amount)) return badCall('invalid_amount', 'amount');
  return undefined;
}
