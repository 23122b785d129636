// An acceptance as it was offered and stored: from here on it decides, whatever a client sends back.
import type { AtomicAmount, Rate } from '@svc-pay/money';
import type { NetworkId, Scheme } from '@svc-pay/protocol';
import type { TokenEntry } from '../token/token-entry.ts';

export type StoredAcceptance = {
  readonly position: number;
  readonly scheme: Scheme;
  readonly network: NetworkId;
  readonly token: TokenEntry;
  readonly payTo: string;
  readonly amount: AtomicAmount;
  readonly payoutId: bigint;
  readonly maxTimeoutSeconds: number;
  /** Blocks, counting its own, before a payment of it is called completed. */
  readonly confirmations: number;
  /** The rate the amount was computed at; an up-to settle in dollars uses it again. */
  readonly rate: Rate;
};
