// Reads the columns of a direct payout. A row that can't be read is treated as withdrawn: nobody wrote it by our rules.
import { type PayoutActivation, readActivation } from '@svc-pay/core';

export type DirectColumns = {
  readonly kind: 'processor' | 'direct';
  readonly activation: unknown;
};

export type ReadDirect =
  /** The payout is a processor's. */
  | { readonly direct?: never; readonly unreadable?: never }
  | { readonly direct: PayoutActivation; readonly unreadable?: never }
  | { readonly direct?: never; readonly unreadable: true };

export function readDirect({ kind, activation }: DirectColumns): ReadDirect {
  if (kind === 'processor' && activation === null) return {};
  const direct = kind === 'direct' ? readActivation(activation) : undefined;
  return direct === undefined ? { unreadable: true } : { direct };
}
